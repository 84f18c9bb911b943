# Two commands do all on a fresh machine: `make crawl` and `make test`.
PYTHON ?= $(shell command -v python3.11 || echo python3)
BIN := .venv/bin
READY := .venv/.ready
CRAWLS := .venv/.crawls
# uv installs in a tenth of pip's time. Where it is not to be had, or reaches no index, pip does the same.
INSTALL = $(BIN)/uv pip install --quiet --python $(BIN)/python $(1) || $(BIN)/pip install --quiet --disable-pip-version-check $(1)
TESTS = $(BIN)/python -m pytest -n $$($(BIN)/python -c 'import os; print(1 + min(4, os.cpu_count() or 1))') --dist loadfile
LAB = tests/lab tests/reader/papers tests/scorers/papers

.PHONY: crawl test test-lab test-quick test-release test-versions advisories check docs messages clean

# Set-up and the main job: a focused crawl of a bundled web, offline, and what it harvested. Installs what a crawl and the board need.
crawl: $(CRAWLS)
	@$(BIN)/zhuti demo build/demo

# Set-up, documents, lint, types and all tests but those of test-lab: a process per processor and one more, for tests of whole crawls wait half of their time. A file's
# tests are in one process, for they share what is dear to make.
test: check
	$(TESTS) --no-loadscope-reorder $(LAB:%=--ignore=%)

# Tests of the laboratory and of the papers' algorithms, which few changes touch.
test-lab: $(READY)
	$(TESTS) $(LAB)

# Without what starts crawls, servers or environments: while you work.
test-quick: $(READY)
	$(TESTS) -m "not slow and not release" $(LAB:%=--ignore=%)

# Before a release: translations are whole.
test-release: $(READY)
	$(BIN)/python -m pytest -m release

# The least versions that pyproject.toml allows for what it names (RESOLUTION=lowest-direct), or the newest (highest), in an environment of their own.
ALL = $(foreach extra,web search corpus models render sign postgres lab dev,--extra $(extra))
RESOLVED = build/$(RESOLUTION).txt
RESOLUTION ?= lowest-direct
RESOLVE = mkdir -p build && $(PYTHON) -m uv pip compile --quiet pyproject.toml $(ALL) --resolution $(RESOLUTION) --only-binary :all: --no-binary jieba --no-header -o $(RESOLVED)
test-versions:
	$(RESOLVE) --python $(PYTHON) --upgrade
	$(PYTHON) -m venv --clear build/versions
	$(PYTHON) -m uv pip install --quiet --python build/versions/bin/python -r $(RESOLVED)
	$(PYTHON) -m uv pip install --quiet --python build/versions/bin/python --no-deps -e .
	build/versions/bin/python -m pytest -n auto --dist loadfile -m "not slow and not release" $(LAB:%=--ignore=%)

# Is anything known against a version that a user may get: of the locks, or the least ones? Asks the index of packages.
# PYSEC-2017-83 names no version that has it mended; it is about storing pictures at S3, which no part of this does.
advisories:
	$(RESOLVE) --upgrade
	for file in requirements-users.lock requirements-all-extras.lock $(RESOLVED); do \
	  $(PYTHON) -m uv tool run pip-audit --strict --progress-spinner off --no-deps --disable-pip --ignore-vuln PYSEC-2017-83 -r $$file || exit 1; done

check: docs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The site of the documents, in build/site. Its pages lie as in the repository, so that links work in both.
PAGES = README.md README.zh-CN.md CHANGELOG.md CONTRIBUTING.md SECURITY.md docs examples deploy models/*.md \
	lab/README.md lab/notes lab/benchmarks/README.md
docs: $(READY)
	@rm -rf build/pages && mkdir -p build/pages && tar cf - $(PAGES) LICENSE | tar xf - -C build/pages
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# After a change of what users read: new messages stand in the catalogue without a translation; write them, and run it again.
messages: $(READY)
	@mkdir -p build
	$(BIN)/pybabel extract -F pyproject.toml -k _ -k N_ -k ngettext:1,2 --no-location -o build/zhuti.pot .
	$(BIN)/pybabel update -D zhuti -i build/zhuti.pot -d crawler/locale -l zh -w 100 --ignore-pot-creation-date --ignore-obsolete -N
	$(BIN)/pybabel compile -D zhuti -d crawler/locale -l zh
	@$(BIN)/python -m pytest -q tests/test_messages.py -k translation

# `compat`: type checkers find the package from a user's own code. Made again when the lock or the project's metadata changes.
$(CRAWLS): requirements-dev.lock pyproject.toml
	$(PYTHON) -m venv --clear .venv
	-$(BIN)/pip install --quiet --disable-pip-version-check uv
	$(call INSTALL,-c requirements-dev.lock -C editable_mode=compat -e '.[web]')
	@touch $@

# And what tests, documents and benchmarks need.
$(READY): $(CRAWLS)
	$(call INSTALL,-r requirements-dev.lock)
	@touch $@

clean:
	rm -rf .venv build data
