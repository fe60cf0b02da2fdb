"""What the doctor says of frameworks that are installed."""

import pytest

from nanobot_memory_plugins.core import Health
from nanobot_memory_plugins.core.cli.findings import offered_findings
from nanobot_memory_plugins.hosts.findings import FRAMEWORKS, framework_findings, is_between
from release.hosts import ADAPTERS, NAMESPACE, Trial


def framework(folder, name: str, version: str) -> None:
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    return tmp_path / "site"


@pytest.mark.parametrize(
    ("version", "health"),
    [("0.3.27", Health.DEGRADED), ("1.0.0", Health.INFO), ("1.4.7", Health.INFO), ("2.0.0rc1", Health.DEGRADED)],
)
def test_a_framework_is_known_by_its_version(site, version, health):
    framework(site, "langchain", version)
    (found,) = [one for one in framework_findings() if one.subject == "LangChain"]
    assert version in found.state
    assert found.health is health
    assert ("pip install 'nanobot-memory-hosts[langchain]'" in found.hint) is (health is Health.DEGRADED)


def test_every_adapter_is_known_by_the_framework_that_its_extra_asks_for():
    known = {one.extra: one.distribution for one in FRAMEWORKS}
    assert known == {adapter: Trial(adapter, "newest").framework.name for adapter in ADAPTERS}


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_an_adapter_is_one_module_of_less_than_250_lines(adapter):
    (module,) = (NAMESPACE / "hosts").glob(f"{adapter.replace('-', '_')}*.py")
    assert len(module.read_text(encoding="utf-8").splitlines()) < 250


def test_the_doctor_asks_whoever_offers_and_says_who_cannot_answer(site, monkeypatch):
    framework(site, "google-adk", "2.13.0")
    framework(site, "somebody-elses", "1.0")
    (site / "somebody_elses-1.0.dist-info" / "entry_points.txt").write_text(
        "[nanobot_memory_findings]\nbroken = no_such_module:findings\n", encoding="utf-8"
    )
    found = offered_findings()
    states = {one.subject: one.state for one in found}
    assert states["Google ADK"].startswith("2.13.0, supported")
    assert states["somebody-elses"] == "cannot say how it is: ModuleNotFoundError"


def test_bounds_are_compared_as_numbers():
    assert is_between("2.10.0", "x>=2.9,<3")
    assert not is_between("2.8.9", "x>=2.9,<3")
    assert is_between("0.24.0", "x<1,>=0.6.6")
