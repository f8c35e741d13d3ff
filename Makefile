# The two commands: `make demo` and `make test`. Both prepare the machine first; `make help` lists the rest.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
CARGO ?= cargo
MODEL ?= fixtures/walker.glb
PICTURE ?= walker.png
MINUTES ?= 10
SEED ?= 1
# One choice of features for all targets that test, so that nothing is compiled twice.
WHOLE := --locked --features testing

# Lets ccache serve one build profile from the other's objects: the paths differ only in the build folder.
export CCACHE_BASEDIR := /
export CCACHE_SLOPPINESS := time_macros,include_file_mtime

# What `make deny` checks: the advisories need the network.
CHECKS ?= bans licenses sources

.DEFAULT_GOAL := help
.PHONY: api deny help manual manual-archive notices prepare build demo test test-kernels test-miri test-slim test-integrations lint bench dist fuzz fixtures extension site snapshots web

help: ## lists the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 20

prepare: ## installs the system packages that the build needs and that are missing
	@.ci/prepare

build: prepare ## builds the release binary
	$(CARGO) build --release --locked

# Without assimp and OpenGL, which a first picture does not need, and with the profile of the tests, which share its dependencies.
demo: prepare ## builds the program as far as needed, and renders a posed rig to walker.png
	@echo 'building skincheck without assimp and OpenGL, for a first picture'
	$(CARGO) build --locked --no-default-features --features cli
	@target="$${CARGO_TARGET_DIR:-target}"; "$$target/debug/skincheck" render $(MODEL) --time 0.3 -o $(PICTURE)
	@echo "the picture is $(CURDIR)/$(PICTURE)"

test: prepare ## runs every test
	@echo 'building each package with its unit tests, then the suite'
	$(CARGO) test $(WHOLE)

# Few cases, and no laws on planted faults, which need many: each case runs some fifty times slower.
test-kernels: prepare ## runs the tests of the unsafe kernels under valgrind
	PROPTEST_CASES=4 $(CARGO) --config 'target."cfg(all())".runner = ["valgrind", "-q", "--error-exitcode=1"]' test --locked \
		-p skincheck-rig -p skincheck-draw --lib -- raster::tests::kernels raster::sample skinning::kernel --skip sees --skip caught --skip every_kind

# Miri interprets each operation, so it runs one small case of each law; all instruction sets are in the same tests.
test-miri: ## runs the tests of the unsafe kernels under Miri; needs rustup and takes long
	rustup toolchain install nightly --profile minimal --component miri --component rust-src
	PROPTEST_CASES=1 RUSTFLAGS="-C target-cpu=x86-64-v3" \
		MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-ignore-leaks -Zmiri-permissive-provenance -Zmiri-tree-borrows" \
		$(CARGO) +nightly miri test --locked -p skincheck-rig -p skincheck-draw --lib \
		-- raster::tests::kernels skinning::kernel --skip sees --skip caught --skip every_kind --skip masked

# What differs in the slim build: what it refuses, what it says of itself, and what it caches. Everything else is the code of the
# whole build. Nothing of it is worth the time to optimize. Tests of other packages turn features on, so they are left out.
SLIM := slim:: commands::doctor commands::help commands::check::cache import::
PLAIN := $(foreach package,rig draw compare lint,--config profile.dev.package.skincheck-$(package).opt-level=0)

test-slim: ## checks the builds without assimp, OpenGL and meshopt, for which a C compiler suffices, and tests what differs in them
	$(CARGO) clippy --locked --no-default-features --lib -- -D warnings
	$(CARGO) clippy --locked --no-default-features --features cli --all-targets -- -D warnings
	$(CARGO) test --locked -p skincheck --no-default-features --features cli $(PLAIN) --test suite -- $(SLIM)

test-integrations: prepare ## runs integrations/, the gate of a release: Blender's own results, pages in Chromium, engines, WebAssembly, the Python module, Kubernetes, packages, dependencies, the site; needs Python 3.11, Node, PyPI, npm and apt-get
	$(CARGO) build $(WHOLE)
	@failed=; for test in integrations/*/test; do \
		"$$test" "$${CARGO_TARGET_DIR:-target}/debug/skincheck" || failed="$$failed $$test"; done; \
	[ -z "$$failed" ] || { echo "failed:$$failed" >&2; exit 1; }

lint: prepare ## checks format, lints, documentation and public interface
	$(CARGO) fmt --check
	$(CARGO) clippy $(WHOLE) --all-targets --test fuzz -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc $(WHOLE) --no-deps --document-private-items
	.ci/api/list | diff -u docs/api.txt - || { echo 'docs/api.txt is not the public interface; make api writes it' >&2; exit 1; }

api: prepare ## writes docs/api.txt, the public interface of the library
	.ci/api/list >docs/api.txt.new
	mv docs/api.txt.new docs/api.txt

deny: ## checks licences, duplicates and sources of dependencies; CHECKS=all also known vulnerabilities, from the network
	.ci/tool cargo-deny --log-level warn check $(CHECKS)

notices: ## writes THIRD-PARTY.md, the licences of all that binaries and the wheel link; needs cargo-about 0.9
	cargo-about generate --locked --fail --manifest-path integrations/python/Cargo.toml .ci/notices.hbs -c .ci/about.toml -o THIRD-PARTY.md

manual: ## writes man pages and completions of all shells to target/share, laid out like /usr/share
	$(CARGO) run --release --locked --no-default-features --features cli -- manual target/share

manual-archive: manual ## packs them for a release
	tar -czf skincheck-manual.tar.gz -C target share

extension: ## builds the extension for Blender with a wheel for this system, to target/skincheck-blender.zip; needs maturin
	rm -rf target/extension
	maturin build --out target/extension
	python3 integrations/blender/build_extension.py target/extension/*.whl target/skincheck-blender.zip

site: ## builds the documentation, with a page per rule, to target/site/book
	$(CARGO) build --release --locked --no-default-features --features cli
	@target="$${CARGO_TARGET_DIR:-target}"; \
	python3 site/build.py "$$target/release/skincheck" target/site

web: ## builds skincheck for WebAssembly: the npm package and the page, in target/web; needs rustup, clang, llvm and wasi-libc
	web/build

bench: prepare ## measures every stage, as ratios to a peer or a bound; STAGE=check only those named so; QUICK=1 roughly; STAGE=scale time and memory against size; STAGE=verdicts what the rules find
	LP_NUM_THREADS=0 $(CARGO) bench --locked --bench pipeline -- $(if $(QUICK),--quick) $(STAGE)

dist: prepare ## packages the crate, and builds and runs it where this folder's configuration does not reach; takes long
	integrations/packages/crate

fuzz: prepare ## feeds hostile files to every command for MINUTES, or as many as RUNS; SEED makes the same cases again
	$(CARGO) test $(WHOLE) --test fuzz -- $(if $(RUNS),--runs $(RUNS) --timed no,--minutes $(MINUTES)) --seed $(SEED)

fixtures: prepare ## writes fixtures/ anew
	SKINCHECK_UPDATE_FIXTURES=1 $(CARGO) test $(WHOLE) --test suite the_committed_fixtures

snapshots: prepare ## accepts today's output as snapshots/
	INSTA_UPDATE=always INSTA_FORCE_PASS=1 SKINCHECK_UPDATE_SNAPSHOTS=1 $(CARGO) test $(WHOLE) --test suite
