# Each target sets up .venv by itself: all it takes is make, git and a Python of 3.11 or newer.

VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
PY := $(BIN)/python
LOCK := requirements/dev.lock
READY := $(VENV)/.ready
SUITABLE := import sys; sys.exit(sys.version_info < (3, 11))
# The first Python that is new enough; `make BASE_PYTHON=/path/to/python …` names another.
BASE_PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	"$$python" -c "$(SUITABLE)" >/dev/null 2>&1 && { echo "$$python"; break; }; done)
PIP := $(PY) -m pip --disable-pip-version-check --no-input

# Handed on to the tool behind `test`, `e2e`, `bench`, `quality`, `demo` and `lock`: make test ARGS='-k redact'
ARGS ?=

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test quick check lint types contracts generated locked wheel e2e bench quality format generate lock hooks clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(READY) ## a story of one minute: what an agent learned, another one gets back
	@$(PY) scripts/demo.py $(ARGS)

test: $(READY) ## all tests, those of the documentation included
	$(PY) -m pytest -n auto --dist worksteal $(ARGS)

quick: $(READY) ## unit tests that start no process, in less than a minute
	$(PY) -m pytest -n auto --dist worksteal --quick -m 'not e2e and not slow' tests/unit tests/properties $(ARGS)

check: lint types contracts generated locked wheel test ## everything that must pass before a change lands

lint: $(READY) ## format and lint
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(READY) ## static types
	PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright

contracts: $(READY) ## which room may import which
	$(BIN)/lint-imports --no-cache

generated: $(READY) ## files made from the code are current
	$(PY) scripts/generate.py --check

locked: $(READY) ## the lock agrees with pyproject.toml
	$(PY) scripts/lock.py --check

wheel: $(READY) ## the wheel is complete and works in a virtual environment of its own
	$(PY) scripts/check_wheel.py

e2e: $(READY) ## other vendors' clients against `rum` (needs node and npm)
	$(PY) -m pytest -m e2e $(ARGS)

bench: $(READY) ## measure the budgets, as ratios to floors taken in the same run
	@$(PY) -m benchmarks $(ARGS)

quality: $(READY) ## put questions with known answers to RUM, and to what it is held against
	@$(PY) -m benchmarks.quality $(ARGS)

format: $(READY) ## format, and mend what the linter can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

generate: $(READY) ## renew the files made from the code
	$(PY) scripts/generate.py

lock: $(READY) ## renew the lock after a change of dependencies (ARGS=--upgrade: newest versions)
	$(PY) scripts/lock.py $(ARGS)

hooks: $(READY) ## check every commit before it is made
	$(BIN)/pre-commit install

clean: ## remove what make made
	rm -rf $(VENV) dist build .pytest_cache .ruff_cache .import_linter_cache .hypothesis

$(READY): pyproject.toml $(LOCK)
	@test -n "$(BASE_PYTHON)" || { echo "RUM needs Python 3.11 or newer; none was found." >&2; exit 1; }
	@echo "Setting up $(VENV) ..."
	@test -x $(PY) || $(BASE_PYTHON) -m venv $(VENV)
	@$(PIP) install -qq --require-hashes -r $(LOCK)
	@$(PIP) install -qq --no-deps --no-build-isolation --editable .
	@touch $@
