# The everyday commands. Each is what it says; `make` alone lists them.
.PHONY: help demo fast test all hosts one mutants check format bench trust docs package release

help:
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

demo: ## run the main job: a real agent that remembers
	uv run nanobot-memory demo

fast: ## run the tests that need neither nanobot nor other programs, in about a minute
	uv run pytest -n auto --dist loadfile -q -m "not slow and not host and not repo"

test: ## run the ordinary tests, on every processor
	uv run pytest -n auto --dist loadfile

all: ## run the slow tests, too
	uv run pytest -n auto --dist loadfile -m "slow or not slow"

hosts: ## run the adapters with their frameworks, in environments of their own
	uv run python -m release.hosts

one: ## run one file or test: make one T=tests/core/test_fence.py
	uv run pytest -q $(T)

mutants: ## change the code in one place at a time, and name the changes that no test sees: make mutants M="*.erasure.plan.*"
	uv run --with mutmut==3.8.1 mutmut run $(if $(M),"$(M)")
	uv run --with mutmut==3.8.1 mutmut results

check: ## format, lint, types, imports, documents and packages, as CI checks them
	uv run ruff format --check .
	uv run ruff check .
	uv run mypy
	uv run mypy examples/echo_host.py examples/every_hook.py examples/reviewing_host.py examples/*/[!t]*.py
	uv run lint-imports
	uv run python -m release.checks

format: ## format the code
	uv run ruff format .
	uv run ruff check --fix .

bench: ## print the speed figures, as ratios within one run
	uv run python -m benchmarks

trust: ## the long forms of everything in docs/trust.md, with their figures (an hour or two)
	NANOBOT_MEMORY_REDACTION_ROUNDS=20 uv run pytest -q -m "slow or not slow" tests/redaction
	uv run python -m benchmarks.made_secrets 900777 20
	uv run python -m benchmarks redaction

package: ## build the wheels of every distribution into dist/
	NANOBOT_RELEASE=1 uv build --all-packages --wheel

release: ## build and check a release, and print what to upload
	uv run python -m release

docs: ## build the documents into site/
	NO_MKDOCS_2_WARNING=1 uv run --group docs mkdocs build --strict
