# Each target sets up its own .venv. You need make, git and Python 3.11 or newer.

VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
PY := $(BIN)/python
LOCK := requirements/dev.lock
READY := $(VENV)/.ready
SUITABLE := import sys; sys.exit(sys.version_info < (3, 11))
# The first Python that is new enough; `make BASE_PYTHON=/path/to/python ...` selects another.
BASE_PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	"$$python" -c "$(SUITABLE)" >/dev/null 2>&1 && { echo "$$python"; break; }; done)
PIP := $(PY) -m pip --disable-pip-version-check --no-input

# Passed to the tool behind `test`, `quick`, `e2e`, `chaos`, `bench`, `quality`, `demo` and `lock`: make test ARGS='-k redact'
ARGS ?=

# Tests start thousands of interpreters, which without cached bytecode would compile RUM again each time.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test quick check lint types contracts generated locked wheel chromium e2e chaos failover bench quality capture pictures format generate lock hooks clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(READY) ## a one-minute example: one agent learns something, another one uses it
	@$(PY) scripts/demo.py $(ARGS)

test: $(READY) ## all tests, including those of the documentation
	$(PY) -m pytest -n auto --dist worksteal $(ARGS)

quick: $(READY) ## unit tests that start no process, in less than a minute
	$(PY) -m pytest -n auto --dist worksteal --quick -m 'not e2e and not slow' tests/unit tests/properties $(ARGS)

check: lint types contracts generated locked wheel chromium test ## everything that CI runs

lint: $(READY) ## check format and lint
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(READY) ## check static types
	PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright

contracts: $(READY) ## check the import contracts
	$(BIN)/lint-imports --no-cache

generated: $(READY) ## check that generated files are current
	$(PY) scripts/generate.py --check

locked: $(READY) ## check that the lock file matches pyproject.toml
	$(PY) scripts/lock.py --check

wheel: $(READY) ## check that the wheel is complete and works in its own virtual environment
	$(PY) scripts/check_wheel.py

# The tests of the page need a browser. Elsewhere than on Debian and Ubuntu, install Chromium or Chrome by hand.
chromium: ## install Chromium for the tests of the page, if it is missing and apt can
	@command -v chromium chromium-browser google-chrome >/dev/null || ! command -v apt-get >/dev/null || test "$$(id -u)" != 0 || \
		{ echo "Installing chromium ..."; apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; }

e2e: $(READY) ## run other vendors' clients against RUM (needs node and npm)
	$(PY) -m pytest -m e2e $(ARGS)

chaos: $(READY) ## search for faults with random input and requests, kills and damaged files (ARGS='--calls 100000' for longer)
	@PYTHONPATH=tests $(PY) -m chaos $(ARGS)

failover: $(READY) ## kill the leader of a PostgreSQL cluster under load (Patroni and etcd are installed in .failover)
	@$(PY) benchmarks/team/failover.py .failover $(ARGS)

bench: $(READY) ## measure speed, as ratios to baselines measured in the same run
	@$(PY) -m benchmarks $(ARGS)

quality: $(READY) ## measure search quality: questions with known answers, for RUM and simpler searches
	@$(PY) -m benchmarks.quality $(ARGS)

capture: $(READY) ## measure what hooks capture: stories with labels of what is true
	@$(PY) -m benchmarks.capture $(ARGS)

pictures: $(READY) chromium ## take the pictures of the page for README and docs
	@PYTHONPATH=tests $(PY) scripts/pictures.py

format: $(READY) ## format, and fix what the linter can fix
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

generate: $(READY) ## rewrite the files that are generated from the code
	$(PY) scripts/generate.py

lock: $(READY) ## update the lock file after a change of dependencies (ARGS=--upgrade: newest versions)
	$(PY) scripts/lock.py $(ARGS)

hooks: $(READY) ## install a git hook that runs the quick checks at every commit
	$(BIN)/pre-commit install

clean: ## remove what make created
	rm -rf $(VENV) dist build .pytest_cache .ruff_cache .import_linter_cache .hypothesis

$(READY): pyproject.toml $(LOCK)
	@test -n "$(BASE_PYTHON)" || { echo "RUM needs Python 3.11 or newer; none was found." >&2; exit 1; }
	@echo "Setting up $(VENV) ..."
	@test -x $(PY) || $(BASE_PYTHON) -m venv $(VENV)
	@$(PIP) install -qq --require-hashes -r $(LOCK)
	@$(PIP) install -qq --no-deps --no-build-isolation --editable .
	@touch $@
