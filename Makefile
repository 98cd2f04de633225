# Whatever needs .venv makes it, or brings it up to date, by itself: see tools/bootstrap.
BIN := .venv/bin
VERSIONS ?= 3.11 3.12 3.13
# Where JAX's settings are changed, every so many answers are judged.
EVERY ?= 1
# Who opens the demo course, and its folder.
ROLE ?= instructor
LAB ?= demo-lab

# nbgrader starts `alembic` by its bare name.
export PATH := $(CURDIR)/$(BIN):$(PATH)

.DEFAULT_GOAL := help
.PHONY: help demo test lint format release wheel lab pictures proof test-versions bench run-all venv constraints clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

demo: venv ## Grade a made-up class and show what an instructor gets
	$(BIN)/graders demo

test: lint ## Lint, check types and run the tests, in two processes
	$(BIN)/python -m pytest --numprocesses=2 --dist=loadscope --no-loadscope-reorder

lint: venv ## Check style, format and types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: venv ## Put the code into the project's format
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format

release: venv ## Generate release/ from source/
	$(BIN)/graders release control-flow

wheel: venv ## Build what students install, into dist/
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

pictures: venv ## Take the README's screenshots anew, into docs/img/
	$(BIN)/python -m tests.browser.pictures

lab: venv ## Open a demo course in JupyterLab, as instructor or with ROLE=student
	$(BIN)/graders lab --role $(ROLE) --folder $(LAB)

proof: venv ## Measure the graders on the bank of answers, on mutants, seeds and VERSIONS
	@pythons=$$(for version in $(VERSIONS); do tools/python-of $$version || exit; done) && \
		$(BIN)/python -m tests.proof $$pythons

test-versions: venv ## Judge the answers under VERSIONS="3.11 3.12 3.13" and settings of JAX
	@pythons=$$(for version in $(VERSIONS); do tools/python-of $$version || exit; done) && \
		$(BIN)/python -m tests.versions --every $(EVERY) $$pythons

bench: venv ## Measure the throughput of grading
	$(BIN)/python benchmarks/throughput.py

run-all: venv ## Measure Run All on a solved notebook, on one cold core
	$(BIN)/python benchmarks/run_all.py

venv: ## Make .venv, or bring it up to date
	@tools/bootstrap

# Keeps the pins that still fit; UPGRADE=1 takes the newest of everything.
constraints: venv ## Pin anew what pyproject.toml asks for (UPGRADE=1: the newest)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt uv
	$(BIN)/uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 \
		--no-header --no-annotate --quiet $(if $(UPGRADE),--upgrade) --output-file constraints.txt

clean: ## Remove what the tools and the demo left, but not .venv
	rm -rf build dist demo-course demo-lab *.egg-info .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find graders tests -name __pycache__ -type d -prune -exec rm -rf {} +
