# Thin on purpose: every recipe is one command that works by hand too.
PYTHON ?= python3
BIN := .venv/bin
# What has code for other systems.
PORTABLE := pytest_ppteval/sandbox pytest_ppteval/runs pytest_ppteval/files $(wildcard pytest_ppteval/agent/*.py)

# The tests start thousands of processes: each is to find what was compiled before. The sandbox itself may write nothing.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: cases test test-slow lint types check clean

cases: .venv/.test-stamp    ## the main job: judge the shipped suite
	$(BIN)/pytest cases/ -n auto

test: .venv/.test-stamp     ## the project's own tests, but for those marked slow
	$(BIN)/python -m compileall -q pytest_ppteval
	$(BIN)/pytest tests/ -n auto

test-slow: .venv/.test-stamp    ## those marked slow: every deck of a corpus, every escape at every level
	$(BIN)/pytest tests/ -n auto -m slow

check: lint types           ## what a pull request must pass before its tests

lint: .venv/.dev-stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/.dev-stamp
	$(BIN)/mypy
	$(BIN)/mypy --platform darwin --no-warn-unreachable $(PORTABLE)
	$(BIN)/mypy --platform win32 --no-warn-unreachable $(PORTABLE)

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/.test-stamp: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install -q -e '.[test]'
	touch $@

.venv/.dev-stamp: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install -q -e '.[dev]'
	touch $@

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache
