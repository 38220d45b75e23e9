# Each target installs what it needs (Debian 12). README.md and CONTRIBUTING.md describe the targets.

.PHONY: demo test test-release test-sanitize test-python test-package python python-env lint tidy wheel check-package check-engines deb check-recipes check-abi check-aarch64 site check-slow check-trust tsan tsan-short tsan-long coverage fuzz paper uci catalogue catalogues redshifts strangers sessions pictures bench bench-python bench-scaling bench-rows bench-peers build format setup setup-bench clean

RELEASE = build/release
SANITIZE = build/sanitize
PYTHON = build/python-venv/bin/python
SESSIONS = README.md docs/c-api.md docs/cli.md docs/engines.md docs/tables.md docs/row-file.md docs/report.md

demo: build
	@examples/demo.sh $(RELEASE)/cli/nimgp

# Release build, sanitized build and Python package are tested at the same time, because none of them keeps
# all processors busy all the time.
test:
	@scripts/setup.sh python
	@scripts/setup.sh browser || echo "setup: no browser: the tests of the report page in it will be skipped" >&2
	@scripts/setup.sh mpi || echo "setup: no MPI: the tests of nimgp-mpi will be skipped" >&2
	@$(MAKE) --no-print-directory -j2 build python-env
	@$(MAKE) --no-print-directory -j3 --output-sync=target test-release test-sanitize test-package lint tsan-short

test-release: build
	@meson test -C $(RELEASE) --no-rebuild --print-errorlogs -t 3

test-sanitize: $(SANITIZE)/build.ninja
	@ninja -C $(SANITIZE) >build/sanitize.log || { cat build/sanitize.log; exit 1; }
	@meson test -C $(SANITIZE) --no-rebuild --print-errorlogs -t 3

# The tests of the Python package, in a virtual environment.
test-python: build python
	@scripts/setup.sh browser || echo "setup: no browser: the tests of the report page in it will be skipped" >&2
	@$(MAKE) --no-print-directory test-package

test-package:
	@$(PYTHON) -m pytest -q

python: | setup
	@scripts/setup.sh python
	@scripts/python-env.sh

python-env:
	@scripts/python-env.sh

# Formatting of the C files, ruff, and mypy --strict. python/requirements-test.txt pins the versions.
lint:
	@find bench cli examples experiments generate include python report score src table tests -name "*.[ch]" | xargs $(dir $(PYTHON))clang-format --dry-run -Werror
	@$(dir $(PYTHON))ruff check --quiet
	@$(dir $(PYTHON))mypy --python-executable $(PYTHON) --cache-dir build/mypy --no-error-summary

# A small set of clang-tidy's checks (.clang-tidy). Takes minutes.
tidy: | setup
	@scripts/tidy.sh $(FILES)

# Source distribution, and a wheel for any Python 3 built from it, in dist/.
wheel: | setup
	@scripts/setup.sh python
	@scripts/wheel.sh

# Tests the wheel in a new environment without compiler or sources.
check-package: wheel
	@scripts/check-package.sh

# nimgp.lsdb, nimgp.rail and nimgp.spark with the real packages from PyPI, and a HATS catalogue of ROWS rows (10^6).
# Downloads 700 MB.
check-engines: build
	@scripts/check-engines.sh

# Checks the recipes of wheels and of the conda packages, without building them.
check-recipes: | setup
	@scripts/setup.sh python
	@scripts/check-recipes.sh

# Debian packages in build/deb.
deb: | setup
	@scripts/deb.sh

# Checks that programs compiled against the last version still run.
check-abi: | setup
	@scripts/abi.sh

# Tests the library on aarch64, with a cross compiler and qemu, and compares the results with those on this machine.
check-aarch64: build
	@scripts/aarch64.sh $(TESTS)

# The documentation as HTML pages, build/site/index.html; links are checked.
site: python | setup
	@scripts/site.sh

# Makes every call that can fail, fail; kills a training 1000 times; runs ThreadSanitizer.
check-trust: build tsan-long
	@$(RELEASE)/tests/api_faults
	@PYTHONPATH=tests/support python3 tests/fault/check_faults.py $(RELEASE)/cli/nimgp $(RELEASE)/tests/fault.so
	@PYTHONPATH=tests/support python3 tests/fault/check_kills.py $(RELEASE)/cli/nimgp --kills 1000

tsan-short: | setup
	@scripts/tsan.sh short

tsan: | setup
	@scripts/tsan.sh

tsan-long: | setup
	@scripts/tsan.sh long

# Measures which lines the tests execute.
coverage: | setup
	@scripts/coverage.sh $(TESTS)

# Measures accuracy on synthetic problems. Takes minutes. Seeds from 3000 on are for reporting only; settings were
# chosen on other seeds.
check-slow: build check-trust
	@mkdir -p docs/results
	@$(RELEASE)/experiments/synthetic --first 3000 --modes given --inputs auto,exact \
	  --out docs/results/synthetic-given.md
	@$(RELEASE)/experiments/synthetic --first 3000 --modes learned --inputs auto \
	  --out docs/results/synthetic-learned.md
	@$(RELEASE)/experiments/regression 3000 >docs/results/noisy-regression.md
	@$(RELEASE)/experiments/recovery 3000 >docs/results/recovery.md
	@cat docs/results/noisy-regression.md docs/results/recovery.md

# Fuzzing, for SECONDS or 10^7 inputs per target: `make fuzz SECONDS=3600 TARGETS="csv model"`.
fuzz: | setup
	@scripts/fuzz.sh $(or $(SECONDS),60) $(TARGETS)

# All tables and figures of the paper (experiments/README.md), in about 420 core-hours. Completed runs are not repeated,
# and options such as PAPER="--repeats 5" make it shorter.
paper: build python
	@$(PYTHON) -m experiments all --out docs/results/paper $(PAPER)

# Compares nimgp with scikit-learn's classifiers on UCI sets with noise added. Takes hours. Completed runs are not
# repeated.
uci: build python
	@$(PYTHON) -m experiments uci --protocols ours,peers --repeats 10 --out docs/results/paper
	@$(PYTHON) -m experiments.uci_peers --runs docs/results/paper/runs/uci.csv --out docs/results/uci-python.md

# Changed class shares, coverage of sets of classes, and a class left out of training.
strangers: build python
	@$(PYTHON) experiments/strangers.py

# Compares nimgp with boosting and forests that are told of the errors, on real catalogues.
catalogues: build python
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check -r experiments/requirements-catalogues.txt
	@$(PYTHON) experiments/catalogues.py

# Compares nimgp with GPz, FlexZBoost and boosting on redshifts, in an environment of its own. AGAIN='--again nimgp' repeats
# the runs of nimgp.
redshifts:
	@[ -x build/redshifts-venv/bin/python ] || python3 -m venv build/redshifts-venv
	@build/redshifts-venv/bin/python -m pip install --quiet --disable-pip-version-check -r experiments/requirements-redshifts.txt .
	@build/redshifts-venv/bin/python experiments/redshifts.py $(AGAIN)

# Compares nimgp with scikit-learn's classifiers and the best possible prediction on mock catalogues.
catalogue: build python
	@$(PYTHON) experiments/catalogue.py --first 3000 --out docs/results/catalogue.md

# Runs the commands in README.md and docs/ again, and replaces the output shown there.
sessions: build
	@PKG_CONFIG_PATH=$(CURDIR)/$(RELEASE)/meson-uninstalled LD_LIBRARY_PATH=$(CURDIR)/$(RELEASE) scripts/sessions.py \
	  --files examples --files ../shared/data/astro $(RELEASE)/cli $(SESSIONS)

# The pictures of README.md and docs/.
pictures: build python
	@scripts/setup.sh browser
	@scripts/pictures.sh $(RELEASE)/cli/nimgp $(PYTHON)

bench: setup-bench build
	@$(RELEASE)/bench/bench_step --json build/bench.json
	@if [ -x $(RELEASE)/bench/bench_gemm ]; then echo; $(RELEASE)/bench/bench_gemm; fi
	@echo; $(RELEASE)/bench/bench_csv

# Measures the overhead of the Python package over the C library.
bench-python: python
	@$(PYTHON) bench/bench_python.py --out docs/results/python-overhead.md

bench-scaling: build
	@bench/scaling.sh

# Trains on a row file of 10^7 rows. Takes a quarter of an hour, and 1.2 GB in build/bench-rows.
bench-rows: build python
	@$(PYTHON) bench/bench_rows.py

bench-peers: build
	@scripts/setup.sh peers
	@bench/peers/setup.sh
	@build/peers-venv/bin/python bench/peers

build: setup $(RELEASE)/build.ninja
	@ninja -C $(RELEASE) >build/release.log || { cat build/release.log; exit 1; }

setup:
	@scripts/setup.sh

setup-bench:
	@scripts/setup.sh bench

$(RELEASE)/build.ninja: | setup
	@meson setup $(RELEASE) >/dev/null

$(SANITIZE)/build.ninja: | setup
	@meson setup $(SANITIZE) --buildtype=plain -Doptimization=2 -Dc_args=-g1 \
	  -Db_sanitize=address,undefined -Db_lundef=false >/dev/null

format: setup
	@git ls-files "*.[ch]" | xargs clang-format -i

clean:
	@rm -rf build
