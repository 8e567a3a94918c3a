# Everything runs in a virtual environment inside the checkout, made by whichever target needs it
# first and reused while pyproject.toml and constraints.txt stay as they are.

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python -m
DEMO := runs/leduc_demo
# Python compiles what is imported when it is imported first, if it may; pip would compile all there is.
INSTALL = $(RUN) pip install --quiet --disable-pip-version-check --constraint constraints.txt \
	$(if $(PYTHONDONTWRITEBYTECODE),,--no-compile)

# Most of the time of the tests is compiling, by one core each. Files come in order: by default those
# of fewest tests would come last, which take longest, one core waiting for the other.
PARALLEL := --numprocesses auto --maxprocesses 8 --dist loadfile --no-loadscope-reorder

.DEFAULT_GOAL := help
.PHONY: help demo figure3 test test-quick check format test-thorough test-slow test-gpu bench bench-search bench-selfplay docs dist clean moved

help:
	@echo "make demo       train an agent for Leduc hold'em, evaluate it, plot how it learned"
	@echo "make figure3    the paper's Figure 3: train by its search, exploitability over training;"
	@echo "                GAME=leduc or GAME=glasses"
	@echo "make test       all checks and the tests (what CI runs)"
	@echo "make check      format, lint, types and import rules only"
	@echo "make format     rewrite the files as 'make check' wants them"
	@echo "make test-quick  tests of rules, solvers, networks and players, in a few minutes"
	@echo "make test-thorough  more tests, which compile for long"
	@echo "make test-slow  the tests that take minutes"
	@echo "make test-gpu   the tests that need a GPU (and a JAX that sees it)"
	@echo "make bench      measure our solvers against OpenSpiel and LiteEFG"
	@echo "make bench-search  measure our search against its own network and against mctx"
	@echo "make bench-selfplay  measure training, and the query solver with ReBeL's setting"
	@echo "make docs       the site, build/docs/index.html: tutorial, how it works, API, results"
	@echo "make dist       the wheel and the source distribution, in dist/"
	@echo "make clean      remove the environment, caches and built files; runs/ stays"
	@echo
	@echo "Each sets up $(VENV) by itself. Another Python: make PYTHON=/path/to/python3.12 demo"

demo: $(VENV)/demo-installed
	$(VENV)/bin/sog train leduc_demo --run $(DEMO)
	$(VENV)/bin/sog plot $(DEMO)
	$(VENV)/bin/sog evaluate $(DEMO)@all --search 10,1 --search 100,1 --seeds 5 \
		--plot $(DEMO)/figure3.png
	@echo
	@echo "Learning curves: $(DEMO)/curves.png; exploitability over training: $(DEMO)/figure3.png."
	@echo "Next:"
	@echo "  source $(VENV)/bin/activate"
	@echo "  sog play $(DEMO) --hints"
	@echo "  sog match $(DEMO) tabular"
	@echo "  sog configs"

GAME := leduc
FIGURE3 := runs/$(GAME)_paper
figure3: $(VENV)/demo-installed
	$(VENV)/bin/sog train $(GAME)_paper --run $(FIGURE3)
	$(VENV)/bin/sog evaluate $(FIGURE3)@all --search 10,1 --search 100,1 \
		--seeds $(if $(filter glasses,$(GAME)),10,50) --plot $(FIGURE3)/figure3.png
	@echo "Exploitability over training: $(FIGURE3)/figure3.png."

# Tests run on the CPU also where there is a GPU, so that they mean the same everywhere. Compiling is
# most of the work of these tests: XLA's older emitters do it in half the time, without the
# optimizations of LLVM it takes a third less, and where every core has a worker a program is not
# split into parts for other cores. JAX 0.12 has no older emitters, and XLA stops at a flag that it
# does not know.
FAST_COMPILING := --xla_backend_optimization_level=0 --xla_cpu_parallel_codegen_split_count=1
OLDER_EMITTERS := --xla_cpu_use_fusion_emitters=false

test: check
test-quick: CHOSEN := $(addprefix tests/,drawing games networks players tabular)
test-thorough: CHOSEN := -m "thorough and not slow and not gpu"
test test-quick test-thorough: $(VENV)/dev-installed
	export JAX_PLATFORMS=cpu XLA_FLAGS="$(FAST_COMPILING) $(OLDER_EMITTERS)"; \
	$(VENV)/bin/python -c "import jax; jax.devices()" 2>/dev/null || XLA_FLAGS="$(FAST_COMPILING)"; \
	$(RUN) pytest $(PARALLEL) $(CHOSEN)

check: $(VENV)/dev-installed
	$(RUN) ruff format --check .
	$(RUN) ruff check .
	$(RUN) mypy --num-workers auto
	$(VENV)/bin/lint-imports

format: $(VENV)/dev-installed
	$(RUN) ruff format .
	$(RUN) ruff check --fix .

test-slow: $(VENV)/dev-installed
	JAX_PLATFORMS=cpu $(RUN) pytest -m slow $(PARALLEL)

test-gpu: $(VENV)/dev-installed
	$(RUN) pytest -m gpu

bench: $(VENV)/bench-installed
	PYTHONPATH=$(VENV)/peers $(VENV)/bin/python scripts/bench_tabular.py \
		--json-out docs/results/data/bench_tabular.json

bench-selfplay: $(VENV)/bench-installed
	$(VENV)/bin/python scripts/bench_selfplay.py --json-out docs/results/data/bench_selfplay.json

bench-search: $(VENV)/bench-installed
	$(VENV)/bin/python scripts/bench_search.py --json-out docs/results/data/bench_search.json

docs: $(VENV)/dev-installed
	$(RUN) sphinx -W --keep-going -q -b html docs build/docs
	@echo "build/docs/index.html"

dist: $(VENV)/dev-installed
	rm -rf dist
	$(RUN) build --quiet --outdir dist .
	@ls dist/*

clean:
	rm -rf $(VENV) .cache build dist sog.egg-info .hypothesis
	rm -rf .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The environment. It holds absolute paths, so one that was moved is made anew; the file `checkout`
# is written last and also tells a half-made one.
ifneq ($(shell cat $(VENV)/checkout 2>/dev/null),$(CURDIR))
$(VENV)/bin/python: moved
endif
moved:

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "error: $(PYTHON) is not Python 3.11 or newer; try: make PYTHON=/path/to/python3.11"; \
		exit 2; }
	@echo "setting up $(VENV) (once; a few minutes on a slow network)"
	$(PYTHON) -m venv --clear $(VENV)
	@echo '$(CURDIR)' > $(VENV)/checkout

$(VENV)/demo-installed: $(VENV)/bin/python pyproject.toml constraints.txt
	$(INSTALL) --editable '.[plot,web]'
	@touch $@

$(VENV)/dev-installed: $(VENV)/bin/python pyproject.toml constraints.txt
	$(INSTALL) --editable '.[dev]'
	@touch $@ $(VENV)/demo-installed

# LiteEFG asks for an older JAX, which it uses for deep learning only: it goes into a folder of its
# own, without its requirements.
$(VENV)/bench-installed: $(VENV)/bin/python pyproject.toml constraints.txt
	$(INSTALL) --editable '.[bench]'
	$(INSTALL) --no-deps --upgrade --target $(VENV)/peers LiteEFG
	@touch $@
