# Two commands do all the set-up on a fresh machine: `make demo` and `make test`. Everything else is for who works here.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

UV_VERSION := 0.13.9
UV := .tools/bin/uv
RUN := $(UV) run --no-sync
LIBS := libs/audit/src/pitstream/audit libs/accounting/src/pitstream/accounting libs/archive/src/pitstream/archive libs/cli/src/pitstream/cli libs/client/src/pitstream/client libs/evaluator/python/pitstream/evaluator \
        libs/events/src/pitstream/events libs/games/src/pitstream/games \
        libs/operator/src/pitstream/operator \
        libs/odds/python/pitstream/odds libs/runtime/src/pitstream/runtime libs/stack/src/pitstream/stack \
        libs/story/src/pitstream/story libs/wire/python/pitstream/wire
SERVICES := services/ops/src/pitstream/services/ops services/progressive/src/pitstream/services/progressive services/settlement/src/pitstream/services/settlement \
        services/table/src/pitstream/services/table services/wallet/src/pitstream/services/wallet
CRATES := libs/evaluator/Cargo.toml libs/odds/Cargo.toml libs/wire/Cargo.toml
BROWSER := $(or $(PITSTREAM_CHROMIUM),$(shell command -v chromium chromium-browser google-chrome google-chrome-stable))
# Of the compose file's own database, of the example that Standard Webhooks publishes, and "0123456789abcdef" twice.
KNOWN_SECRETS := ^postgresql://pitstream:pitstream@ ^whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw$$ \
                 ^whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=$$
PROMETHEUS := $(shell command -v promtool >/dev/null && command -v prometheus)

.PHONY: secrets audit-deps site test-deploy chaos test-ops-room dashboards trace screens fuzz fuzz-http help setup demo test check format bench bench-pipeline bench-replay proto docs golden contract-ship test-exhaustive test-operators test-networks test-ledger simulate soak clean cargo

help: ## What can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

demo: setup ## Set everything up, play three evenings of poker through the real services, check every cent
	$(RUN) pitstream demo

test: setup ## Set everything up and run every test (real Kafka, real PostgreSQL)
	for crate in $(CRATES); do cargo test --quiet --release --manifest-path $$crate --no-default-features; done
	$(RUN) pytest -n 2 --dist loadfile -m "not slow$(if $(BROWSER),, and not browser)$(if $(PROMETHEUS),, and not prometheus)"
	@$(if $(BROWSER),,echo "NOT RUN: the tests of pages in a real browser. Install Chromium (Debian: apt-get install chromium), then run make again.")
	@$(if $(PROMETHEUS),,echo "NOT RUN: the tests of alerts and dashboards. Install Prometheus (Debian: apt-get install prometheus), then run make again.")

setup: cargo $(UV) ## Python environment and the Rust evaluator, from the lock files
	@$(UV) sync --locked --quiet --compile-bytecode
	@$(RUN) python -m compileall -q libs services
	@for crate in $(CRATES); do cargo fetch --quiet --locked --manifest-path $$crate; done  # of every platform: cargo-deny asks for all

$(UV):
	@command -v python3 >/dev/null || { echo "python3 is missing: install Python 3.11 or newer, then run make again."; exit 1; }
	python3 -m venv .tools
	.tools/bin/pip install --quiet uv==$(UV_VERSION)

cargo:
	@command -v cargo >/dev/null || { echo "cargo is missing: the hand evaluator is written in Rust; install Rust 1.88 or newer (https://rustup.rs), then run make again."; exit 1; }

check: setup ## Format, lint, types, contract, architecture: under a minute
	$(RUN) ruff format --check --quiet
	$(RUN) ruff check --quiet
	$(RUN) mypy $(LIBS) $(SERVICES)
	$(RUN) lint-imports --no-logo
	cd proto && ../.venv/bin/buf lint && ../.venv/bin/buf breaking --against shipped.binpb
	$(RUN) python docs/contract.py
	$(RUN) hadolint Dockerfile
	NO_MKDOCS_2_WARNING=1 $(RUN) mkdocs build --strict --quiet
	for crate in $(CRATES); do \
	    cargo fmt --check --manifest-path $$crate; \
	    cargo clippy --quiet --release --features python --manifest-path $$crate --all-targets -- -D warnings; \
	    RUSTDOCFLAGS="-D warnings" cargo doc --quiet --no-deps --manifest-path $$crate; \
	    $(RUN) cargo-deny --log-level error --offline --manifest-path $$crate --config deny.toml check bans licenses sources; \
	done
	@$(MAKE) --no-print-directory secrets

secrets: ## Look for keys and passwords in what git has or would take, or in FILES="…": nothing that opens a door is kept
	@# Copied first: the scanner reads a folder many times faster than a list of files, and takes no word of .gitignore.
	@copy=$$(mktemp -d); trap 'rm -rf "$$copy"' EXIT; \
	$(if $(FILES),printf '%s\0' $(FILES),git grep --no-index --exclude-standard -lz -e '') | tar --null -T - -cf - | tar -xf - -C "$$copy"; \
	cd "$$copy"; $(CURDIR)/.venv/bin/kingfisher scan --quiet --redact --no-validate --no-update-check --git-history none \
	    --no-extract-archives --rules-path $(CURDIR)/.kingfisher.yaml $(foreach known,$(KNOWN_SECRETS),--skip-regex '$(known)') .

audit-deps: setup ## Known weaknesses of what we depend on; asks the advisories' databases, so it needs a network
	$(UV) audit --locked
	for crate in $(CRATES); do $(RUN) cargo-deny --manifest-path $$crate --config deny.toml check advisories; done

format: setup ## Write every file in the house's format
	$(RUN) ruff check --fix --quiet
	$(RUN) ruff format --quiet
	for crate in $(CRATES); do cargo fmt --manifest-path $$crate; done
	cd proto && ../.venv/bin/buf format -w

proto: setup ## Generate the Python modules of proto/
	$(RUN) python libs/events/generate.py

docs: setup ## Write the pages that are made from code
	$(RUN) python docs/generate.py
	$(RUN) python libs/client/generate.py

golden: setup ## Put the bytes of new events, and of new versions of events, on record
	$(RUN) python libs/events/golden.py

contract-ship: golden ## Take today's contract as shipped: from then on it may only grow
	cd proto && ../.venv/bin/buf build -o shipped.binpb
	$(RUN) python docs/contract.py --ship

bench: setup ## Evaluator beside its peers, and the road of a round: ratios from one run, with machine and versions
	$(UV) sync --locked --quiet --package pitstream-evaluator --group peers --inexact
	$(RUN) python libs/evaluator/benches/peers.py
	$(RUN) python libs/odds/benches/par.py
	$(RUN) python libs/cli/benches/cost_of_a_round.py
	$(RUN) python services/wallet/benches/transfers.py
	$(RUN) python services/progressive/benches/thousand_tables.py
	$(RUN) python services/ops/benches/five_hundred_tables.py
	$(UV) sync --locked --quiet --package pitstream-games --group peers --inexact
	$(RUN) python libs/games/benches/replay.py

bench-pipeline: setup ## Rounds a second over the whole road, and how long money takes, beside a pipeline that does nothing
	$(RUN) python libs/cli/benches/pipeline.py

bench-replay: setup ## What it costs to replay a round among 10,000, 100,000 and 1,000,000 stored ones (10 GB of disk)
	$(UV) sync --locked --quiet --package pitstream-games --group peers --inexact
	$(RUN) python libs/games/benches/replay.py --stored 10000,100000,1000000

test-exhaustive: setup ## Every hand there is, against the naive evaluator
	for crate in $(CRATES); do cargo test --release --manifest-path $$crate --no-default-features -- --include-ignored; done
	$(RUN) pytest libs/evaluator libs/games libs/odds -m "slow or not slow"

test-operators: setup ## 10,000 rounds with an operator's wallet that misbehaves, both killed again and again
	$(RUN) pytest -m slow services/wallet/tests/remote

test-networks: setup ## 1,000 tables on one network with 100,000 wagers, and 200 pairs of hits under every policy
	$(RUN) pytest -m slow services/progressive/tests tests/networks

test-ledger: setup ## The ledger at full size: 100,000 rounds delivered three times with kills, 1,000 races, 500 reversals
	$(RUN) pytest -m slow services/wallet/tests/test_no_kill_settles_a_round_twice.py \
	  services/wallet/tests/test_no_interleaving_spends_money_twice.py services/wallet/tests/test_what_was_moved_is_undone_once.py

test-tamper: setup ## A thousand seeded tamperings with events, in the archive, the stores and the topics: each is named
	$(RUN) pytest -m slow libs/archive libs/audit -s

test-ops-room: setup ## 500 tables and 100 rounds a second before a browser: first paint, delay, and half an hour of memory
	$(RUN) pytest -m slow tests/e2e/pages -s --timeout 7200

dashboards: setup ## Write Grafana's dashboards from their script
	$(RUN) python deploy/observability/dashboards.py

test-deploy: setup ## Images' build steps in a clean folder, overlays built by kustomize, the last version exchanged for this one
	$(RUN) pytest -m slow tests/deploy tests/e2e/test_the_suite_is_upgraded_and_restored.py -s

trace: setup ## Play a round and draw its trace, as docs/telemetry.md shows it
	$(RUN) python docs/trace.py

site: setup ## The pages of docs/ as a site, in the folder site; a page that is in no menu, or a wrong anchor, ends it
	NO_MKDOCS_2_WARNING=1 $(RUN) mkdocs build --strict --quiet

screens: setup ## Take the pictures of the ops room's pages that docs/ops-room.md shows
	$(RUN) python docs/screens.py

chaos: setup ## Machines go wrong under a live feed, for MINUTES=30: each fault heals by itself and nothing is lost
	PITSTREAM_CHAOS_MINUTES=$(or $(MINUTES),30) $(RUN) pytest -m slow tests/e2e/chaos -s

simulate: setup ## The services in one process under drawn faults: SEEDS=10000, or one SEED=… again (MUTANT="…" plants a bug)
	$(RUN) python tests/simulation/simulate.py $(if $(SEED),--seed $(SEED),--seeds $(or $(SEEDS),1000) --first $(or $(FIRST),0)) $(if $(MUTANT),--mutant "$(MUTANT)",$(if $(SEED),,--mutants))

soak: setup ## Whole evenings with services killed at random, many times
	$(RUN) pytest -m slow tests --ignore tests/e2e/chaos

fuzz-http: setup ## Every endpoint asked a hundred times what it allows, and a hundred times what it does not
	$(RUN) pytest -m slow tests/e2e/alone/test_every_answer_is_documented.py --timeout 7200

fuzz: setup ## INPUTS=1000000 of what nobody would send to each reader of topics and files, and the evaluator; or one FILE=… again
	$(RUN) python tests/fuzz/fuzz.py $(if $(FILE),--file $(FILE),--inputs $(or $(INPUTS),1000000) $(if $(SEED),--seed $(SEED)) $(if $(TARGET),--target $(TARGET)))
	$(if $(FILE)$(TARGET),,PITSTREAM_FUZZ_STORED=$$(($(or $(INPUTS),1000000) / 100)) $(RUN) pytest -m slow tests/fuzz -s)
	$(if $(FILE)$(TARGET),,PITSTREAM_FUZZ_INPUTS=$(or $(INPUTS),1000000) cargo test --release --manifest-path libs/evaluator/Cargo.toml --no-default-features --test any_bytes)

clean: ## Forget builds and caches of this folder
	rm -rf .venv .tools .mypy_cache .ruff_cache .pytest_cache .hypothesis libs/evaluator/target libs/odds/target libs/wire/target
