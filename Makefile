# Two commands set everything up: `make demo` and `make test`. Each needs
# Python 3.11 or newer, and makes the virtual environment in .venv by itself.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.DELETE_ON_ERROR:
.PHONY: help demo test clean

help: ## Say what each command does.
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-6s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo 'Another Python: make demo PYTHON=python3.12'

demo: $(VENV)/installed-demo ## Train Whist, judge it, write results to demo/.
	$(BIN)/whist demo --out demo

test: $(VENV)/installed-dev ## Run every check: lint, format, types, tests.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -n 2

clean: ## Remove the virtual environment, demo/ and all caches.
	rm -rf $(VENV) build dist demo
	rm -rf .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . \( -name __pycache__ -o -name .ipynb_checkpoints \) -prune -exec rm -rf {} +

# `installed-demo` and `installed-dev` are stamps: the extra of that name was
# installed from the pyproject.toml that is older than the stamp.
$(VENV)/installed-%: pyproject.toml $(VENV)/pyvenv.cfg
	$(BIN)/python -m pip install --editable '.[$*]'
	@touch $@

define REQUIRE_PYTHON
import sys
if sys.version_info < (3, 11):
    sys.exit(
        "whist_env needs Python 3.11 or newer, but $(PYTHON) is Python %d.%d.%d.\n"
        "Name a newer one, for example: make $(MAKECMDGOALS) PYTHON=python3.12"
        % sys.version_info[:3]
    )
endef
export REQUIRE_PYTHON

$(VENV)/pyvenv.cfg:
	@command -v '$(PYTHON)' >/dev/null || { \
		echo 'whist_env needs Python 3.11 or newer, but there is no $(PYTHON) here.' >&2; \
		echo 'Name the one to use, for example: make $(MAKECMDGOALS) PYTHON=python3.12' >&2; \
		exit 1; }
	@$(PYTHON) -c "$$REQUIRE_PYTHON"
	$(PYTHON) -m venv --clear $(VENV)
