# gpuplot's commands. Everything they make stays in this folder: .venv, build, demo-output.
#
#   make demo       a real array through C to PNG files and figures, in ./demo-output; DEVICE=emulated: from a GPU's memory
#   make test       the tests of the core: Python, the C core under sanitizers, CUDA on an emulated device, and where there is
#                   a browser the front end of gpuplot.inspect in it
#   make test-all   with other libraries' arrays, notebooks in a browser, the slow tests, and every test on the
#                   emulated device
#   make bench      gpuplot beside what people use today: times, errors, memory (BENCH_ARGS=--quick: two minutes)
#   make build      only the module, in place, for working on it: .venv/bin/python then imports it
#   make clean      away with everything the commands made
#
# PYTHON=... names a Python (3.11 or newer), GPUPLOT_PNG=off goes without libpng, JOBS=n limits the build,
# PYTEST_ARGS="-k name -x" goes to pytest. What the system lacks is installed where that is allowed.

START := $(shell date +%s)
TOOK = echo "make $@ took $$(( $$(date +%s) - $(START) )) s"
export PYTHON GPUPLOT_PNG JOBS
# matplotlib's font cache stays here, too, and no window is opened.
export MPLCONFIGDIR := $(CURDIR)/build/matplotlib
export MPLBACKEND := agg
# Warnings stop our own checks, not somebody's demo under a compiler that is newer than the code.
export WERROR ?= $(if $(CI),ON,OFF)

# When the set-up has said what to do, that line stays the last one: SIGQUIT ends make without a word and
# with status 1, while this recipe still sleeps. (Where SIGQUIT is ignored, READY fails in make's usual words.)
SETUP = @rm -f build/ready; mkdir -p build; \
	sh tests/setup/environment.sh $(1) && touch build/ready || \
	{ kill -s QUIT $$PPID; exec sleep 5 >/dev/null 2>&1; }
READY = @test -f build/ready
PYTEST = .venv/bin/python -m pytest $(PYTEST_ARGS)

# DEVICE=emulated: the demo's arrays are in memory of the emulated device, which needs a C++ compiler.
DEVICE ?= host
RUN = .venv/bin/python $(if $(filter emulated,$(DEVICE)),tests/on_device.py)
ifeq ($(DEVICE),emulated)
export GPUPLOT_EXAMPLE_SIZE ?= 2048
endif
demo: export WITH_EMULATOR = $(if $(filter emulated,$(DEVICE)),1)
test: export WITH_EMULATOR = 1
test-all: export WITH_EMULATOR = all
test-all bench: export WITH_BROWSER = 1
export EMULATED_DEVICE := $(CURDIR)/build/emulator

.PHONY: help demo build bench test test-all native-tests clean
.NOTPARALLEL:

help:
	@sed -n 's/^#   //p' Makefile

demo:
	@echo "== environment"
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

bench:
	@echo "== environment"
	$(call SETUP,core build frameworks browser hosts bench)
	$(READY)
	@echo "== build"
	@sh tests/setup/build.sh module
	@echo "== benchmarks"
	@.venv/bin/python tests/benchmarks/run.py $(BENCH_ARGS)
	@$(TOOK)

test:
	@echo "== environment"
	$(call SETUP,core build test browser)
	$(READY)
	@echo "== build"
	@sh tests/setup/build.sh module
	@echo "== C tests, under AddressSanitizer and UndefinedBehaviorSanitizer"
	@sh tests/setup/build.sh native-tests
	@echo "== Python tests"
	@$(PYTEST) -m "not slow"
	@$(TOOK)

test-all:
	@echo "== environment"
	$(call SETUP,core build test frameworks browser hosts)
	$(READY)
	@echo "== build"
	@sh tests/setup/build.sh module
	@sh tests/setup/build.sh native-tests
	@echo "== all Python tests but for those under sanitizers"
	@$(PYTEST) -m "slow or not cuda"
	@echo "== all Python tests once more, their arrays on the emulated device"
	@test ! -f build/emulator/libcuda.so.1 || $(PYTEST) --device emulated tests/test_*.py
	@echo "== tests of the CUDA backend, under AddressSanitizer and UndefinedBehaviorSanitizer"
	@sh tests/setup/sanitized.sh $(PYTEST_ARGS) -q -m "not slow" tests/test_cuda_*.py tests/test_cells.py
	@$(TOOK)

clean:
	rm -rf build dist .venv demo-output .pytest_cache .hypothesis gpuplot/_native*.so
