# Everything a user or CI calls. Underneath are plain `kedro` and `pytest` in .venv.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

ENV ?=
PIPELINES ?=
PART ?= all
SCALE ?= small

VENV := .venv
BIN := $(VENV)/bin
LOCKS := requirements
RUN_LOCKS := $(LOCKS)/default.lock $(LOCKS)/demo.lock $(LOCKS)/build.lock
DEV_LOCKS := $(RUN_LOCKS) $(LOCKS)/dev.lock
ALL_LOCKS := $(DEV_LOCKS) $(LOCKS)/airflow.lock

# uv from PATH, else its own copy inside the project folder.
UV := $(shell command -v uv 2>/dev/null || echo .uv/bin/uv)

export KEDRO_DISABLE_TELEMETRY := 1
export DO_NOT_TRACK := 1

.PHONY: help run test test-slow check format bench viz airflow schema lock clean

help:  ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | column -t -s "$$(printf '\t')"

run: $(VENV)/.run  ## Run the default lifecycle: `make run [ENV=mydata] [PIPELINES=rescore]`
	$(BIN)/kedro run$(if $(ENV), --env $(ENV))$(if $(PIPELINES), --pipelines $(PIPELINES))

test: $(VENV)/.dev  ## The tests that fit in minutes
	$(BIN)/pytest -m "not slow" --numprocesses 2 --dist loadfile

test-slow: $(VENV)/.all  ## Clusters, kills, Airflow and the browser
	$(BIN)/pytest -m slow

check: $(VENV)/.dev  ## Lint, types, import contracts
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(VENV)/.dev  ## Format the code and mend what can be mended
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: $(VENV)/.dev  ## Benchmarks: `make bench [PART=scoring] [SCALE=full]`
	$(BIN)/python -m tests.benchmarks --part $(PART) --scale $(SCALE)

viz: $(VENV)/.run  ## The graph as a static site under build/viz
	$(BIN)/python -m reclife.viz build/viz

airflow: $(VENV)/.run  ## One Airflow DAG a scheduled lifecycle, under build/airflow/dags
	$(BIN)/python -m reclife.airflow$(if $(ENV), --env $(ENV))

schema: $(VENV)/.run  ## Generate conf/schemas for editors
	$(BIN)/reclife schema conf/schemas

lock: $(UV)  ## Resolve the dependencies anew
	$(UV) lock
	$(UV) export -q --frozen --no-emit-project --no-header -o $(LOCKS)/default.lock
	for group in demo build dev airflow; do \
	  $(UV) export -q --frozen --no-emit-project --no-header --only-group $$group -o $(LOCKS)/$$group.lock; \
	done

clean:  ## Remove what runs left under data/ and build/
	find data -mindepth 2 ! -name .gitkeep -delete
	rm -rf build

# Environments: each stamp stands for what is installed.
$(VENV)/.run: $(RUN_LOCKS) pyproject.toml | $(UV)
	$(call install,$(RUN_LOCKS))

$(VENV)/.dev: $(VENV)/.run $(DEV_LOCKS)
	$(call install,$(DEV_LOCKS))

$(VENV)/.all: $(VENV)/.dev $(ALL_LOCKS)
	$(call install,$(ALL_LOCKS))

define install
	[ -x $(BIN)/python ] || $(UV) venv --quiet --python '>=3.11,<3.14' $(VENV)
	$(UV) pip sync --quiet --compile-bytecode --python $(BIN)/python --require-hashes $(1)
	$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@
endef

.uv/bin/uv:
	python3 -m venv .uv
	.uv/bin/pip install --quiet --disable-pip-version-check --require-hashes -r $(LOCKS)/uv.lock
