# The front door. Every target sets up what it needs; see README.md.

.PHONY: demo test check-slow bench bench-peers build format setup clean

RELEASE = build/release
SANITIZE = build/sanitize

demo: build
	@$(RELEASE)/examples/demo

test: build $(SANITIZE)/build.ninja
	@ninja -C $(SANITIZE) --quiet
	@meson test -C $(RELEASE) --no-rebuild --print-errorlogs
	@meson test -C $(SANITIZE) --no-rebuild --print-errorlogs

# The statistical claims: minutes rather than seconds.
check-slow: build
	@$(RELEASE)/experiments/synthetic --out docs/results

bench: setup-bench build
	@$(RELEASE)/bench/bench_step --json build/bench.json

bench-peers: build
	@scripts/setup.sh peers
	@bench/peers-setup.sh
	@build/peers-venv/bin/python bench/peers.py

build: setup $(RELEASE)/build.ninja
	@ninja -C $(RELEASE) --quiet

setup:
	@scripts/setup.sh

setup-bench:
	@scripts/setup.sh bench

$(RELEASE)/build.ninja: | setup
	@meson setup $(RELEASE) >/dev/null

$(SANITIZE)/build.ninja: | setup
	@meson setup $(SANITIZE) --buildtype=debugoptimized -Db_sanitize=address,undefined \
	  -Db_lundef=false >/dev/null

format: setup
	@clang-format -i include/*.h src/*/*.c src/*/*.h tests/*.c tests/*.h bench/*.c bench/*.h \
	  examples/*.c experiments/*.c

clean:
	@rm -rf build
