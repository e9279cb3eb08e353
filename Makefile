# Needs python3 (3.11 or newer), make and a package registry. Everything else goes into .venv.
PYTHON ?= python3
JOBS   ?= 2
ARGS   ?=
VENV   := .venv
BIN    := $(VENV)/bin

# A virtual environment or a path of somebody else must not leak into ours.
unexport PYTHONPATH PYTHONHOME VIRTUAL_ENV
MAKEFLAGS += --no-print-directory

.PHONY: help verify test check fix bench docs clean FORCE
.NOTPARALLEL:
.DEFAULT_GOAL := help

help:
	@echo "exactdp"
	@echo
	@echo "  make verify   every numbered item of the paper: does it hold, are its controls refuted"
	@echo "  make test     the tests and the doctests"
	@echo "  make check    all that a change must pass: format, lint, types, imports, tests, docs"
	@echo "  make fix      format, and repair what the linter can repair"
	@echo "  make bench    timings"
	@echo "  make docs     the manual, into docs/_build/html"
	@echo "  make clean    remove .venv, caches and everything built"
	@echo
	@echo "Examples"
	@echo "  make verify ARGS=\"thm-A.2\"                one item"
	@echo "  make verify ARGS=\"--preset full\"          exhaustive"
	@echo "  make test ARGS=\"tests/paper -k coupling\"  some tests"
	@echo "  make test JOBS=4                          on four processes"
	@echo "  make test PYTHON=python3.12               with another Python"
	@echo
	@echo "The first run installs into .venv. After it: $(BIN)/exactdp --help"

verify: $(VENV)/.run
	@$(BIN)/exactdp verify $(ARGS)

test: $(VENV)/.test
	@$(BIN)/python -m pytest -q -p no:benchmark -n $(JOBS) $(ARGS)

check: $(VENV)/.check
	@echo "==> ruff format"  && $(BIN)/ruff format --check .
	@echo "==> ruff check"   && $(BIN)/ruff check .
	@echo "==> mypy"         && $(BIN)/mypy
	@echo "==> pyright"      && $(BIN)/pyright --pythonpath $(BIN)/python
	@echo "==> lint-imports" && $(BIN)/lint-imports --no-logo
	@echo "==> tests"        && $(MAKE) test
	@if [ -f docs/conf.py ]; then echo "==> docs" && $(MAKE) docs; fi

fix: $(VENV)/.check
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(VENV)/.bench
	@$(BIN)/python -m pytest tests/benchmarks --benchmark-only $(ARGS)

docs: $(VENV)/.docs
	@$(BIN)/python -m sphinx -q -W --keep-going -n -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

clean:
	rm -rf $(VENV) build dist src/*.egg-info docs/_build
	rm -rf .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis .benchmarks
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Setting up. A stamp per set of tools; each is renewed only when pyproject.toml changes.
install = $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable

$(VENV)/.run: $(VENV)/.made-for pyproject.toml
	@echo "==> installing exactdp into $(VENV) (once, about a minute)"
	@$(install) .
	@touch $@

$(VENV)/.test: $(VENV)/.made-for pyproject.toml
	@echo "==> installing exactdp and the test tools into $(VENV) (once, a minute or two)"
	@$(install) '.[test]'
	@touch $(VENV)/.run $@

$(VENV)/.check: $(VENV)/.made-for pyproject.toml
	@echo "==> installing exactdp, the test tools and the checkers into $(VENV) (once, a few minutes)"
	@$(install) '.[test,check,bench]'
	@touch $(VENV)/.run $(VENV)/.test $(VENV)/.bench $@

$(VENV)/.bench: $(VENV)/.made-for pyproject.toml
	@echo "==> installing exactdp and the benchmark tools into $(VENV) (once, a minute or two)"
	@$(install) '.[test,bench]'
	@touch $(VENV)/.run $(VENV)/.test $@

$(VENV)/.docs: $(VENV)/.made-for pyproject.toml
	@echo "==> installing exactdp and the documentation tools into $(VENV) (once, about a minute)"
	@$(install) '.[docs]'
	@touch $(VENV)/.run $@

# The environment remembers the folder it was made for: in a moved or copied folder it is made anew.
ifneq ($(shell cat $(VENV)/.made-for 2>/dev/null && $(BIN)/python -c ''),$(CURDIR))
$(VENV)/.made-for: FORCE
endif

$(VENV)/.made-for:
	@command -v $(PYTHON) >/dev/null || { \
	  echo "exactdp needs Python 3.11 or newer; there is no '$(PYTHON)'. Name yours: make PYTHON=/path/to/python3.12"; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "exactdp needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1). Name another: make PYTHON=python3.12"; exit 2; }
	@echo "==> making $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv --clear $(VENV)
	@printf '%s\n' '$(CURDIR)' > $@
