# gpuplot's commands. Everything they make stays in this folder: .venv, build, demo-output.
#
#   make demo       a real array through C to PNG files and figures, in ./demo-output; DEVICE=emulated: from a GPU's memory
#   make test       the tests of the core, in minutes: Python, the C core under sanitizers, CUDA on an emulated device, and where
#                   there is a browser the front end of gpuplot.inspect in it
#   make lint       formatters, linters, annotations and docstrings, in seconds
#   make check      what .ci/run runs after these two: other libraries' arrays, a larger share of the matrices, sanitizers, threads,
#                   fuzzing, kernels by NVRTC
#   make test-all   everything: whole matrices, every mode of the emulated device, notebooks in a browser, other Pythons; an hour
#   make bench      gpuplot beside what people use today: times, errors, memory (BENCH_ARGS=--quick: two minutes)
#   make wheel      one wheel in ./dist for any Python from 3.11 on, libpng inside, tried where there is no compiler; Linux
#   make build      only the module, in place, for working on it: .venv/bin/python then imports it
#   make clean      away with everything the commands made
#
# PYTHON=... names a Python (3.11 or newer), GPUPLOT_PNG=off goes without libpng, JOBS=n limits the build,
# PYTEST_ARGS="-k name -x" goes to pytest, WORKERS=n is how many tests run side by side, GPUPLOT_TEST_SEED=... picks the cases of
# a share (default: the commit's hash). What the system lacks is installed where that is allowed.

START := $(shell date +%s)
TOOK = echo "make $@ took $$(( $$(date +%s) - $(START) )) s"
# A stage prints its heading and notes its time, REPORT says where the time went.
STAGE = @sh tests/setup/stage.sh
BEGIN = @rm -rf build/stages build/reports
REPORT = @.venv/bin/python tests/setup/report.py
export PYTHON GPUPLOT_PNG JOBS
# Compiled modules are kept in .venv and the tree, whatever the user's shell says: tests start hundreds of processes.
unexport PYTHONDONTWRITEBYTECODE
# Threads of NumPy's linear algebra would spin beside those that are tested.
export OPENBLAS_NUM_THREADS ?= 1
# matplotlib's font cache stays here, too, and no window is opened.
export MPLCONFIGDIR := $(CURDIR)/build/matplotlib
export MPLBACKEND := agg
# Warnings stop our own checks, not somebody's demo under a compiler that is newer than the code.
export WERROR ?= $(if $(CI),ON,OFF)

# When the set-up has said what to do, that line stays the last one: SIGQUIT ends make without a word and
# with status 1, while this recipe still sleeps. (Where SIGQUIT is ignored, READY fails in make's usual words.)
SETUP = @rm -f build/ready; mkdir -p build; \
	sh tests/setup/stage.sh environment sh tests/setup/environment.sh $(1) && touch build/ready || \
	{ kill -s QUIT $$PPID; exec sleep 2 >/dev/null 2>&1; }
READY = @test -f build/ready
# What picks the cases of a share.
SEED = $(or $(GPUPLOT_TEST_SEED),$(shell git rev-parse HEAD 2>/dev/null || echo 0))
WORKERS ?= $(shell nproc 2>/dev/null || echo 2)
PYTEST = .venv/bin/python -m pytest -q $(PYTEST_ARGS)
# Tests of a real GPU want a process in which the emulated driver never was.
PARALLEL = $(PYTEST) -n $(WORKERS) --ignore=tests/gpu
# What needs real notebook servers, other Pythons or builds of its own runs in `make test-all` alone.
WHOLE_ONLY = --ignore=tests/packaging/test_build.py --ignore=tests/hosts

# DEVICE=emulated: the demo's arrays are in memory of the emulated device, which needs a C++ compiler.
DEVICE ?= host
RUN = .venv/bin/python $(if $(filter emulated,$(DEVICE)),tests/on_device.py)
ifeq ($(DEVICE),emulated)
export GPUPLOT_EXAMPLE_SIZE ?= 2048
endif
demo: export WITH_EMULATOR = $(if $(filter emulated,$(DEVICE)),1)
test: export WITH_EMULATOR = 1
check test-all: export WITH_EMULATOR = 1
check test-all: export WITH_CLANG = 1
test-all: export WITH_CROSS = 1
check test-all bench: export WITH_BROWSER = 1
export EMULATED_DEVICE := $(CURDIR)/build/emulator

.PHONY: help demo build wheel bench lint test check test-all clean
.NOTPARALLEL:

help:
	@sed -n 's/^#   //p' Makefile

demo:
	$(call SETUP,core build)
	$(READY)
	@echo "== build"
	@sh tests/setup/build.sh module
	@echo "== demo"
	@$(RUN) examples/00_demo.py demo-output
	@$(if $(filter emulated,$(DEVICE)),$(RUN) examples/08_on_the_gpu.py)
	@$(TOOK)

build:
	$(call SETUP,core build)
	$(READY)
	@sh tests/setup/build.sh module

wheel:
	$(call SETUP,core build wheel)
	$(READY)
	@.venv/bin/python tests/packaging/make_wheel.py dist
	@$(TOOK)

bench:
	$(call SETUP,core build frameworks browser hosts bench)
	$(READY)
	@echo "== build"
	@sh tests/setup/build.sh module
	@echo "== benchmarks"
	@.venv/bin/python tests/benchmarks/run.py $(BENCH_ARGS)
	@$(TOOK)

lint:
	$(BEGIN)
	$(call SETUP,core test lint)
	$(READY)
	$(STAGE) "lint" sh tests/lint/run.sh

test:
	$(BEGIN)
	$(call SETUP,core build test browser)
	$(READY)
	$(STAGE) "build" sh tests/setup/build.sh module
	$(STAGE) "C tests, under AddressSanitizer and UndefinedBehaviorSanitizer" sh tests/setup/build.sh native-tests
	$(STAGE) "Python tests" $(PARALLEL) -m "not slow"
	$(REPORT)
	@$(TOOK)

check:
	$(BEGIN)
	$(call SETUP,core build test frameworks files browser hosts nvrtc fuzz)
	$(READY)
	$(STAGE) "build" sh tests/setup/build.sh module
	$(STAGE) "other libraries' arrays, pages, and a larger share of the matrices" $(PARALLEL) --effort check $(WHOLE_ONLY)
	$(STAGE) "a share of the tests, their arrays on the emulated device" sh tests/setup/emulated.sh $(PARALLEL) --part 0.1
	$(STAGE) "half of the tests of the CUDA backend, under sanitizers" sh tests/setup/sanitized.sh --part 0.5
	$(STAGE) "threads, under ThreadSanitizer" sh tests/races/run.sh
	$(STAGE) "a share at lower levels of instructions" .venv/bin/python tests/levels/at_each_level.py --share 12
	$(STAGE) "all kernels once, by NVRTC" .venv/bin/python tests/nvrtc/compile_kernels.py --each $(SEED) --jobs $(WORKERS)
	$(STAGE) "fuzzing, 30 s a target" env FUZZ_SEED=1 sh tests/fuzz/run.sh 30
	$(STAGE) "tests of a real GPU, where there is one" $(PYTEST) tests/gpu
	$(STAGE) "one notebook host" $(PYTEST) tests/hosts/test_notebooks.py -k "lab and picture_is_what"
	$(REPORT)
	@$(TOOK)

test-all:
	$(BEGIN)
	$(call SETUP,core build test frameworks files browser hosts nvrtc fuzz lint)
	$(READY)
	$(STAGE) "lint" sh tests/lint/run.sh
	$(STAGE) "build" sh tests/setup/build.sh module
	$(STAGE) "C tests, under AddressSanitizer and UndefinedBehaviorSanitizer" sh tests/setup/build.sh native-tests
	$(STAGE) "all Python tests" $(PARALLEL) --effort whole
	$(STAGE) "all Python tests once more, their arrays on the emulated device" sh tests/setup/emulated.sh $(PARALLEL)
	$(STAGE) "tests of a real GPU, where there is one" $(PYTEST) tests/gpu
	$(STAGE) "tests of the CUDA backend, under sanitizers" sh tests/setup/sanitized.sh --effort whole
	$(STAGE) "threads, under ThreadSanitizer" sh tests/races/run.sh
	$(STAGE) "the tests at lower levels of instructions" .venv/bin/python tests/levels/at_each_level.py --share 1
	$(STAGE) "all kernels, by NVRTC" .venv/bin/python tests/nvrtc/compile_kernels.py --all --jobs $(WORKERS)
	$(STAGE) "fuzzing, 60 s a target" sh tests/fuzz/run.sh 60
	$(STAGE) "other Pythons and platforms" sh tests/platforms/run.sh
	$(REPORT)
	@$(TOOK)

clean:
	rm -rf build dist .venv demo-output .pytest_cache .hypothesis gpuplot/_native*.so
