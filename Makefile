.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

VENV := .venv
PYTHON := $(VENV)/bin/python
TRAINING := models/train/.venv
WORK := models/train/work
PAIRS ?= 760000
STEPS ?= 1500
TESTS ?= --quick
WORDNET ?= /usr/share/wordnet
TRAINED := $(TRAINING)/bin/python
CORES := $(shell nproc)
# The encoder takes one core and little time; the two others share the rest.
THREADS := --threads $(shell expr \( $(CORES) + 1 \) / 2)
# The locks are complete: --no-deps spares pip the search, --require-hashes lets nothing else in.
INSTALL := $(PYTHON) -m pip install -qq --disable-pip-version-check --no-input --no-deps --require-hashes

##@ Everyday

help: ## show this list
	@awk 'BEGIN { FS = ":.*## " } /^##@/ { printf "\n%s\n", substr($$0, 5) } \
	    /^[a-z]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' Makefile

run: setup ## set up, and start the daemon: with a simulated home unless a broker is configured (LLAMA=no: build nothing)
	@exec $(PYTHON) -m daemon run

# Whole daemons come last, and no more of them than there are processors.
test: $(VENV)/dev.stamp ## set up, and run the tests
	@scripts/llama install
	@$(PYTHON) -m pytest --numprocesses auto --dist worksteal --ignore tests/daemon
	@$(PYTHON) -m pytest --numprocesses auto --dist loadfile tests/daemon

quick: $(VENV)/dev.stamp ## run the tests of the parts: a minute, before each commit (which they are, tests/conftest.py says)
	@$(PYTHON) -m pytest --quiet --quick --numprocesses auto --dist worksteal

coverage: $(VENV)/dev.stamp ## tell which lines the quick tests reach, or others: make coverage TESTS=tests/act
	@$(PYTHON) -m pytest --quiet --numprocesses auto --dist worksteal --cov --cov-report term:skip-covered $(TESTS)

demo: $(VENV)/runtime.stamp ## play an evening in the simulated home, and show every step
	@$(PYTHON) -m daemon demo

models: $(VENV)/runtime.stamp ## fetch the models of models/manifest.yaml, and verify them
	@$(PYTHON) -m daemon models fetch

clean: ## remove what make and the tools have made here; fetched models stay
	rm -rf $(VENV) build *.egg-info .hypothesis .mypy_cache .pytest_cache .ruff_cache .coverage
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

##@ Development

setup: $(VENV)/runtime.stamp ## make .venv, and install what Hearken needs; llama-cpp-python follows in the background
	@LLAMA='$(LLAMA)' scripts/llama background

dev: setup $(VENV)/dev.stamp ## as setup, with what the checks need

llama: $(VENV)/runtime.stamp ## build llama-cpp-python now, once for this machine
	@scripts/llama build

check: lint types test ## all that must hold before a commit

lint: $(VENV)/dev.stamp ## check format and style
	@$(PYTHON) -m ruff format --check --quiet .
	@$(PYTHON) -m ruff check --quiet .

types: $(VENV)/dev.stamp ## check the types
	@$(PYTHON) -m mypy

format: $(VENV)/dev.stamp ## format the code, and mend what can be mended without thought
	@$(PYTHON) -m ruff check --fix-only --quiet .
	@$(PYTHON) -m ruff format --quiet .

bench: $(VENV)/dev.stamp ## measure, beside others where that can be done
	@scripts/llama install
	@$(PYTHON) -m daemon bench

screenshots: $(VENV)/dev.stamp ## pictures of the console's pages in build/screenshots (chromium has to be there)
	@$(PYTHON) -m tests.console.screenshots build/screenshots

lock: $(VENV)/dev.stamp ## write the locks anew from pyproject.toml
	@scripts/lock

##@ The small model

train: $(TRAINING)/stamp ## train the small models anew from models/train (hours on a small machine)
	@test -e $(WORDNET)/data.noun || { echo "WordNet is missing in $(WORDNET): apt-get install wordnet-base" >&2; exit 1; }
	@scripts/llama build
	@$(TRAINED) -m models.train.generate --out $(WORK) --pairs $(PAIRS)
	@$(TRAINED) -m models.train.encoder_words --wordnet $(WORDNET) --out $(WORK)
	@$(TRAINED) -m models.train.usual --out models/tagger
	@$(MAKE) --jobs $(CORES) train-tagger train-decoder train-encoder
	@$(MAKE) train-segmenter train-followups
	@$(PYTHON) -m models.train.score --data $(WORK) --model models/tagger --second models/decoder --fit
	@$(PYTHON) -m models.train.card --data $(WORK) --model models/tagger --second models/decoder --encoder models/encoder

# Side by side: two that have a core each are faster than one after the other with two.
train-tagger:
	@$(TRAINED) -m models.train.train --data $(WORK) --out models/tagger --only tagger --wordnet $(WORDNET) $(THREADS)

train-decoder:
	@$(TRAINED) -m models.train.train --data $(WORK) --out models/decoder --only decoder $(THREADS)

# Behind the tagger, whose vocabulary it has.
train-segmenter:
	@$(PYTHON) -m models.train.segments --data $(WORK)
	@$(TRAINED) -m models.train.train --data $(WORK) --out models/segmenter --only segmenter
	@$(PYTHON) -m models.train.segments_score --data $(WORK) --model models/segmenter

# Behind the tagger as well: it goes on from what that has learnt.
train-followups:
	@$(PYTHON) -m models.train.followups --data $(WORK)
	@$(TRAINED) -m models.train.train --data $(WORK) --out models/followups --only followups
	@$(PYTHON) -m models.train.followups_score --data $(WORK) --model models/followups

train-encoder:
	@$(TRAINED) -m models.train.encoder --data $(WORK) --out models/encoder --wordnet $(WORDNET) --steps $(STEPS)

##@ As a service

install: ## install to /opt/hearken with a systemd service (DESTDIR=... to install into a folder)
	@DESTDIR='$(DESTDIR)' scripts/install

uninstall: ## remove what install installed; your configuration stays
	@DESTDIR='$(DESTDIR)' scripts/uninstall

wheel: $(VENV)/python.stamp ## build a wheel for pip and pipx into build/
	@scripts/wheel

deb: ## build a Debian package for this machine into build/ (some minutes)
	@scripts/deb

deb-check: ## install the package of build/ into a Debian of its own, use it, upgrade and remove it (as root, some minutes)
	@scripts/deb-check

image: ## build an OCI image of the package, with podman, buildah or docker
	@scripts/image

# The environment

$(VENV)/python.stamp:
	@python=$$(scripts/find-python) && echo "making $(VENV) with $$python" && "$$python" -m venv --clear $(VENV)
	@touch $@

$(VENV)/runtime.stamp: requirements.lock $(VENV)/python.stamp
	@echo "installing the packages of $<"
	@$(INSTALL) -r $<
	@touch $@

$(VENV)/dev.stamp: requirements-dev.lock $(VENV)/runtime.stamp $(VENV)/satellite.stamp
	@echo "installing the packages of $<"
	@$(INSTALL) -r $<
	@touch $@

# wyoming-satellite, which the tests talk to, wants an older wyoming than Hearken: it has an environment of its own.
$(VENV)/satellite.stamp: requirements-satellite.lock $(VENV)/python.stamp
	@echo "installing the packages of $<"
	@$(PYTHON) -m venv --clear $(VENV)/satellite
	@$(VENV)/satellite/bin/python -m pip install -qq --disable-pip-version-check --no-input --no-deps --require-hashes -r $<
	@touch $@

$(TRAINING)/stamp: models/train/requirements.txt requirements.lock $(VENV)/python.stamp
	@echo "installing the packages of $<"
	@$(PYTHON) -m venv --clear $(TRAINING)
	@$(TRAINING)/bin/python -m pip install -qq --disable-pip-version-check --no-input -r requirements.lock
	@$(TRAINING)/bin/python -m pip install -qq --disable-pip-version-check --no-input -r $<
	@touch $@

.PHONY: help run test quick coverage demo models clean setup dev llama check lint types format bench lock screenshots train train-tagger train-decoder train-segmenter train-followups train-encoder install uninstall wheel deb deb-check image
