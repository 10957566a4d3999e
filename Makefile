.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory
SHELL := /bin/sh

VENV := .venv
PYTHON := $(VENV)/bin/python
PIP := $(PYTHON) -m pip --disable-pip-version-check --no-input
# The locks are complete: --no-deps spares pip the search, --require-hashes lets nothing else in.
PIP_INSTALL := $(PIP) install -qq --require-hashes --no-deps

##@ Everyday

help: ## this list
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## / {printf "  %-10s %s\n", $$1, $$2}' Makefile

run: setup ## set up and start the daemon, with a simulated home unless a broker is configured
	@exec $(PYTHON) -m daemon run

test: $(VENV)/dev.stamp ## set up and run the tests
	@$(PYTHON) -m pytest

setup: $(VENV)/runtime.stamp ## make .venv and install what Hearken needs into it

dev: $(VENV)/dev.stamp

$(VENV)/python.stamp:
	@python=$$(scripts/find-python) && echo "making $(VENV) with $$python" && \
	    "$$python" -m venv --clear $(VENV) && touch $@

$(VENV)/runtime.stamp: requirements.lock $(VENV)/python.stamp
	@echo "installing the packages of $<"
	@$(PIP_INSTALL) -r $< && touch $@

$(VENV)/dev.stamp: requirements-dev.lock $(VENV)/runtime.stamp
	@echo "installing the packages of $<"
	@$(PIP_INSTALL) -r $< && touch $@

.PHONY: help run test setup dev
