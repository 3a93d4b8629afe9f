# make demo   the main job, visibly, on real repositories
# make test   the whole test suite
# make check  what CI runs: lint, types, floors, tests, the project's own memory
# make bench  what it costs, as ratios against git in one run
# make eval   how well it ranks, beside other rankings; EVAL is the directory of the sets
#
# Each makes its environment in .venv first, from PYTHON (3.11 or newer).

SHELL := /bin/sh
PYTHON ?= $(firstword $(foreach v,python3 python3.13 python3.12 python3.11,$(shell \
	$(v) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $(v))))
VENV := .venv
BIN := $(VENV)/bin
EVAL ?= fixtures/retrieval
# One more than processors: each test waits for git most of the time.
JOBS ?= $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 1)')

.PHONY: demo test check lint types floors memory coverage bench eval clean

demo: $(VENV)/.installed
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh docs/demo.sh

test: $(VENV)/.installed
	$(BIN)/pytest -q -n $(JOBS)

check: lint types floors memory test

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed
	$(BIN)/mypy

floors: $(VENV)/.installed
	$(BIN)/lint-imports --no-cache

memory: $(VENV)/.installed
	$(BIN)/git-mem check

coverage: $(VENV)/.installed
	$(BIN)/pytest -q -n $(JOBS) --cov --cov-report=term-missing

bench: $(VENV)/.installed
	PYTHONPATH=tests $(BIN)/python -m bench.check
	PYTHONPATH=tests $(BIN)/python -m bench.search
	PYTHONPATH=tests $(BIN)/python -m bench.hooks
	PYTHONPATH=tests $(BIN)/python -m bench.files

eval: $(VENV)/.installed
	@PYTHONPATH=tests $(BIN)/python -m bench.ranking $(EVAL)

$(VENV)/.installed: pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: set PYTHON=..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --upgrade 'pip>=25.1'
	$(BIN)/pip install -q --editable . --group dev
	@touch $@

clean:
	rm -rf $(VENV) build dist .coverage .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
