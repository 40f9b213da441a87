# Two commands do everything on a fresh machine with Python 3.11 or later, make and gcc:
#   make demo   makes the environment and runs the main job
#   make test   the same environment, then lint, types and tests

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed

.PHONY: setup demo test lint types unit test-slow attack bench clean

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,plot,openspiel]'
	touch $(STAMP)

demo: setup
	mkdir -p out
	$(BIN)/counterplay demo --plot out/frontier.png

test: lint types unit

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

unit: setup
	$(BIN)/pytest -n auto -m "not slow"

test-slow: setup
	$(BIN)/pytest -m slow

attack: setup
	$(BIN)/python -m attack

bench: setup
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[peers]'
	$(BIN)/python benchmarks/run.py

clean:
	rm -rf .venv out
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
