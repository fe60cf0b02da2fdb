# The everyday commands. Each is what it says; `make` alone lists them.
.PHONY: help demo test check format bench package

help:
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

demo: ## run the main job: a real agent that remembers
	uv run nanobot-memory demo

test: ## run the ordinary tests
	uv run pytest

check: ## format, lint and type checks, as CI runs them
	uv run ruff format --check .
	uv run ruff check .
	uv run mypy

format: ## format the code
	uv run ruff format .
	uv run ruff check --fix .

bench: ## print the speed figures, as ratios within one run
	uv run python -m benchmarks

package: ## build the wheels of every distribution into dist/
	NANOBOT_RELEASE=1 uv build --all-packages --wheel
