# The first run of `make demo` or `make test` makes .venv from the lock and fetches the weights; later runs begin at once.

# The first Python on the path that is new enough; name another with PYTHON=/path/to/python3.12.
PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && exit; \
	done; echo python3)
BIN := .venv/bin
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--custom-compile-command "make lock" pyproject.toml

.PHONY: demo test lint types format lock setup setup-dev clean

demo: setup  ## a spoken conversation, offline; its record goes to out/demo (more options: make demo ARGS="--language zh")
	$(BIN)/innervoice demo $(ARGS)

test: setup-dev  ## all tests (some: make test ARGS="-k weights")
	$(BIN)/innervoice weights pull --language en
	$(BIN)/innervoice weights pull --language zh
	$(BIN)/python -m pytest $(ARGS)

lint: setup-dev  ## style and layout
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: setup-dev  ## strict types
	$(BIN)/mypy

format: setup-dev  ## rewrite the layout
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

lock: setup-dev  ## pin what pyproject.toml asks for (newest versions: make lock ARGS=--upgrade)
	$(LOCK) $(ARGS) --output-file requirements.lock
	$(LOCK) $(ARGS) --extra dev --constraint requirements.lock --output-file requirements-dev.lock

setup:
	@$(PYTHON) scripts/setup.py

setup-dev:
	@$(PYTHON) scripts/setup.py --dev

clean:  ## remove the environment and what tools left; weights and memories stay
	rm -rf .venv build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
