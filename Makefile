# The two commands of the README are `make demo` and `make test`. Each installs what is missing (Debian 12; root or
# sudo), builds what has changed, and runs. `make help` lists the rest.
.DEFAULT_GOAL := help
.PHONY: help setup build install parts deb demo test test-build soak fuzz verify bench bench-quick bench-build bench-doc reproduction-doc asan tsan tidy format clean python

help:
	@echo "make demo     build, then watch GPS choose memories on Fashion-MNIST (about five minutes)"
	@echo "make test     build, then run all tests"
	@echo "make soak     the tests again and again: on a quiet and a busy machine, one core, ... (hours)"
	@echo "make fuzz     made-up bytes for all that reads files, MINUTES=5 for each target"
	@echo "make verify   sanitizers, a minute of each fuzz target, clang-tidy over what changed, the installed library"
	@echo "make build    build/release/gpscl and its LibTorch module, nothing else"
	@echo "make deb      a Debian package of the program and the library, in build/package"
	@echo "make install  the same into /usr/local, or PREFIX=… (cmake --install build/release)"
	@echo "make python   the package gpscl for Python, built, installed into build/venv, and tested"
	@echo "make bench    every table of docs/performance.md, measured here, into build/bench/tables.md (ten minutes)"
	@echo "make bench-quick  only the speed of the pieces, and of a step beside PyTorch's (three minutes)"
	@echo "make bench-doc    put the tables of the last make bench into docs/performance.md"
	@echo "make reproduction-doc STORE=results/runs.sqlite  write docs/reproduction.md from that store"
	@echo "make asan     the tests under the address and undefined-behaviour sanitizers"
	@echo "make tsan     the tests under the thread sanitizer"
	@echo "make tidy     clang-tidy over our own code"
	@echo "make format   clang-format over the tree"
	@echo "make clean    remove build/"

# What ninja puts before each line: how many of how many, and the seconds so far.
none :=
export NINJA_STATUS := [%f of %t, %e s] $(none)

setup:
	@scripts/setup

build: setup
	@echo "Configuring build/release"
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target program

# Everything that is installed, and no tests.
parts:
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target installed_parts

PREFIX ?= /usr/local
install: setup parts
	@cmake --install build/release --prefix $(PREFIX) >/dev/null && echo "Installed into $(PREFIX)"

deb:
	@scripts/setup package
	@$(MAKE) --no-print-directory parts
	@rm -rf build/package
	@cpack --config build/release/CPackConfig.cmake -B build/package >build/release/package.log \
	  || { cat build/release/package.log; exit 1; }
	@rm -rf build/package/_CPack_Packages
	@ls build/package/*.deb

# Needs neither LibTorch nor MPI, and takes them where they are installed.
demo:
	@scripts/setup demo
	@test -e build/release/build.ninja || { echo "Configuring build/release"; cmake --preset release >/dev/null; }
	@cmake --build --preset release --target gpscl
	@scripts/demo build/release/gpscl

test: test-build
	@scripts/test release

test-build:
	@scripts/setup test
	@echo "Configuring build/release"
	@cmake --preset release >/dev/null
	@echo "Building build/release"
	@cmake --build --preset release

soak:
	@scripts/setup soak
	@scripts/soak

MINUTES ?= 5
fuzz:
	@scripts/setup fuzz
	@scripts/fuzz --minutes $(MINUTES) $(TARGETS)

SECONDS ?= 60
verify:
	@scripts/setup verify
	@scripts/verify --seconds $(SECONDS) $(PARTS)

bench-build:
	@scripts/setup bench
	@cmake --preset release -B build/bench -DGPSCL_BENCH=ON -DGPSCL_TESTS=OFF >/dev/null && cmake --build build/bench

bench: bench-build
	@/usr/bin/python3 bench/tables.py build/bench --out build/bench/tables.md

bench-quick: bench-build
	@/usr/bin/python3 bench/tables.py build/bench pieces versus-er versus-derpp

bench-doc:
	@/usr/bin/python3 bench/fill.py build/bench/tables.md docs/performance.md

# The package for Python in a virtual environment, which uses Debian's numpy and PyTorch.
python:
	@scripts/setup python
	@test -e build/venv/bin/pip || /usr/bin/python3 -m venv --system-site-packages build/venv
	@build/venv/bin/python -B python/backend/gpscl_build.py
	@echo "Installing into build/venv"
	@build/venv/bin/pip install --quiet --disable-pip-version-check --no-index --no-deps --force-reinstall .
	@cmake --build build/python --target reference_run
	@test ! -e build/release/gpscl || cmake --build build/release --target gpscl
	@GPSCL_SOURCE_DIR=$(CURDIR) GPSCL_REFERENCE_RUN=$(CURDIR)/build/python/python/reference_run \
	  GPSCL_PROGRAM=$(wildcard $(CURDIR)/build/release/gpscl) \
	  build/venv/bin/python -B tests/python_module/run.py

STORE ?= results/runs.sqlite
reproduction-doc: build
	@build/release/gpscl reproduce --format md --store $(STORE) --notes docs/reproduction-notes -o docs/reproduction.md

asan tsan:
	@scripts/setup develop
	@cmake --preset $@ >/dev/null && cmake --build --preset $@ && scripts/test $@

tidy:
	@scripts/setup develop
	@scripts/tidy

format:
	@scripts/setup develop
	@git ls-files '*.cpp' '*.h' | xargs clang-format -i

clean:
	@rm -rf build
