# Two commands do everything on a fresh machine with Python 3.11 or later and make:
#   make demo   makes the environment and runs the main job
#   make test   adds the tools of developers, one of which is built by gcc, then lint, types and tests

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt
INSTALLED := .venv/.installed
DEVELOPED := .venv/.developed

unexport PYTHONDONTWRITEBYTECODE  # the tests start a hundred interpreters, which share the bytecode of the first

.PHONY: setup develop demo test lint types unit test-slow test-page wheel-check page-picture attack bench ledger docs clean

setup: $(INSTALLED)

$(INSTALLED): pyproject.toml papers/pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(PIP) -e '.[plot,openspiel,papers]' -e papers
	$(BIN)/python -m compileall -q src papers/src  # as pip does for all that is not editable; else each process of the tests does it
	touch $(INSTALLED)

develop: $(DEVELOPED)

$(DEVELOPED): $(INSTALLED)
	$(PIP) -e '.[cluster,dev,mcp,notebook,page,papers,plot,openspiel]' -e papers
	$(BIN)/mypy tests/typing/packages.py  # the types of what is installed, which change with the environment only
	$(BIN)/pytest --collect-only -qq >/dev/null  # bytecode of the tests; else each process of `make test` makes it
	touch $(DEVELOPED)

demo: setup
	mkdir -p out
	$(BIN)/counterplay demo --plot out/frontier.png

test: develop
	$(MAKE) --jobs 2 lint types unit  # the one process of types runs beside the tests

lint: develop
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: develop
	$(BIN)/mypy  # both packages, and tests/typing/client.py as a program that uses it

unit: develop  # a process for each core, each with one thread: more would only wait for each other
	COUNTERPLAY_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -n auto --dist worksteal -m "not slow and not browser"

test-slow: develop  # what takes minutes, and every property test with eight times the examples of `make test`
	HYPOTHESIS_PROFILE=long $(BIN)/pytest -m "slow or (hypothesis and not browser)"

test-page: develop  # needs chromium and chromedriver, as packages of the system have them
	$(BIN)/pytest -n 0 -m browser

wheel-check: setup  # the wheel in clean environments, with the newest and the lowest versions of what it needs
	$(BIN)/python -m tests.support.wheel_check

page-picture: develop  # README's picture of the page; needs what test-page needs
	$(BIN)/python -m tests.page.pictures docs/page.png

attack: develop
	$(BIN)/python -m attack --cpu-minutes 30

bench: setup
	$(BIN)/python benchmarks/install_peers.py
	$(BIN)/python benchmarks/run.py

docs: setup
	$(PIP) -e '.[docs,papers]' -e papers
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet docs out/docs

ledger: setup
	$(BIN)/python benchmarks/run.py --ledger

clean:
	rm -rf .venv out
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
