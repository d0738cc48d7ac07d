# Each target sets itself up in .venv on a fresh machine: only Python 3.11+, pip, git and make are needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
CORE := $(VENV)/.core-ready
ALL := $(VENV)/.all-ready

# Compiled files are kept: tests start hundreds of processes, and each would compile the whole package anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo demo-local pictures site test test-long lint bench soak mutants docs release clean

$(CORE): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(INSTALL) -e .
	touch $@

$(ALL): $(CORE)
	$(INSTALL) -e '.[dev,local,postgres,ray,server]'
	touch $@

demo: $(CORE)
	$(BIN)/python -m examples.demo

# The pictures of the README in both languages, light and dark, from what the demo shows.
pictures: demo $(ALL)
	bash .ci/install-browser
	$(BIN)/python docs/make_pictures.py

# The documentation as a site in site/, with search; needs no network once it is set up. A broken link or a page that is missing fails.
site: $(CORE)
	$(INSTALL) -e '.[site]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

demo-local: $(CORE)
	$(INSTALL) -e '.[local]'
	$(BIN)/python -m examples.demo_local

test: $(ALL)
	bash .ci/install-postgresql
	bash .ci/install-browser
	VENIRE_QUICK=1 $(BIN)/python -m pytest -n 3 --dist loadgroup -m "not long"

# The long programmes, and the tests on random input with all their examples: `make test` draws a quarter of them.
test-long: $(ALL)
	bash .ci/install-postgresql
	bash .ci/install-browser
	$(BIN)/python -m pytest -n 3 --dist loadgroup -m "long or hypothesis"

lint: $(ALL)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(ALL)
	$(BIN)/python -m bench.validation
	$(BIN)/python -m bench.pdf
	$(BIN)/python -m bench.providers
	$(BIN)/python -m bench.ledger
	$(BIN)/python -m bench.runtime
	$(BIN)/python -m bench.runtime memory
	$(BIN)/python -m bench.collecting
	$(BIN)/python -m bench.postgres
	$(BIN)/python -m bench.distant_ledger
	$(BIN)/python -m bench.stored_bytes
	$(BIN)/python -m bench.viewer
	$(BIN)/python -m bench.ray
	$(BIN)/python -m bench.vote_shards 10000000 10000 10
	$(BIN)/python -m bench.stats.agreement
	$(BIN)/python bench/stats/uncertainty.py
	$(BIN)/python -m bench.report

# Each programme prints one line of figures at its end; docs/explanation/security.md shows them.
soak: $(ALL)
	VENIRE_KILLS=1000 $(BIN)/python -m pytest tests/flow/test_killed_runs.py
	VENIRE_KILLS=200 $(BIN)/python -m pytest tests/flow/test_killed_collections.py
	VENIRE_KILLS=1000 VENIRE_POWER_CUTS=10000 $(BIN)/python -m pytest tests/ledger/test_durability.py
	VENIRE_MUTATIONS=1000000 $(BIN)/python -m pytest tests/flow/test_mutated_replies.py
	VENIRE_FLIPS=1 $(BIN)/python -m pytest tests/ledger/test_flipped_bytes.py
	VENIRE_VOTERS=10000 $(BIN)/python -m pytest tests/server/test_crowd.py
	$(BIN)/python -m pytest tests/server/test_roles.py

# Breaks lines one at a time and tells which the tests do not notice: VENIRE_SEED, VENIRE_MUTANTS (how many), VENIRE_PROCESSES.
mutants: $(ALL)
	$(BIN)/python -m bench.mutants

docs: $(ALL)
	$(BIN)/python docs/generate_reference.py
	$(BIN)/python docs/generate_openapi.py
	$(BIN)/python docs/refresh_sessions.py

# The packages to publish, what they are made of (CycloneDX), and their digests.
release: $(ALL)
	rm -rf dist
	$(INSTALL) build cyclonedx-bom
	$(BIN)/python -m build --outdir dist
	$(PYTHON) -m venv --without-pip dist/.sbom-venv
	$(BIN)/python -m pip --python dist/.sbom-venv/bin/python install --quiet --disable-pip-version-check -c constraints.txt '.[local,postgres,ray,server]'
	$(BIN)/cyclonedx-py environment dist/.sbom-venv/bin/python --pyproject pyproject.toml --output-reproducible -o dist/venire.cdx.json
	rm -rf dist/.sbom-venv
	$(BIN)/python -c 'import json, pathlib, venire.version; file = pathlib.Path("dist/venire.cdx.json"); bom = json.loads(file.read_text()); bom["metadata"]["component"]["version"] = venire.version.__version__; file.write_text(json.dumps(bom, indent=2) + "\n")'
	cd dist && sha256sum venire* > SHA256SUMS

clean:
	rm -rf $(VENV) .bench-venv* .mutants demo-output
