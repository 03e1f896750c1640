# The verbs of this package. `make demo` and `make test` are all that a newcomer needs.

.PHONY: demo test web-flows feature example docs snippets postgrest test-thread test-address test-long test-leaks mutants bench names architecture lint format setup clean

# Options of every debug build. Those of .ci/run leave out what nobody looks at there. With other options all is built anew.
SWIFT_OPTIONS ?=
export SWIFT_OPTIONS
# Foundation's HTTP client would ask the environment's proxy for the servers of tests on this machine, too.
export no_proxy := 127.0.0.1,localhost,$(or $(no_proxy),$(NO_PROXY))
# Each sanitizer builds in a place of its own, so that they do not undo each other's work.
SWIFT_TEST = swift test $(SWIFT_OPTIONS)
THREAD = --sanitize=thread --scratch-path .build/thread
# Left out under ThreadSanitizer: tests that compute for long on one thread, where it can find nothing, and long runs of the
# demo, whose flows are driven by another test as well.
ALONE = ^(JSONTests\.|FeedbackTests\.(Operator)?DepthTests|DemoTests\.(RecordingTests/replay|DemoTests/timeline)|$\
	PersistenceTests\.(Agreement|Aggregate|Condition|Durability|IDHash|Limit|PowerCut|TextNormalForm|TextPattern)Tests|$\
	LocalBackendTests\.RequestParserFuzzTests|SyncTests\.(OutboxSimulation|RowDifferential)Tests)
# Suites in which leaks are looked for.
LEAKS = ^(FeedbackTests|LocalBackendTests|PersistenceTests)\.
ADDRESS = --sanitize=address --scratch-path .build/address
# Random tests are slow under a sanitizer, and `make test` runs them in full.
FEWER = PERSISTENCE_QUERIES=200 PERSISTENCE_WRITES=20 PERSISTENCE_TRANSACTIONS=20 PERSISTENCE_CUTS=29 POSTGRES_QUERIES=80 \
	POSTGRES_WRITES=3 SYNC_QUERIES=80 CACHE_SEEDS=20 \
	CACHE_WRITES=30000 PARSER_MUTATIONS=2000 REQUEST_MUTATIONS=10000 JSON_CASES=2000
EXAMPLE = --package-path Examples/FirstFeature --scratch-path .build/example

demo: setup ## Drive every feature's flow over real HTTP
	swift run $(SWIFT_OPTIONS) demo

test: setup ## Run every test
	$(SWIFT_TEST)

# make feature NAME=Weather MODEL=Forecast
feature: ## Write the files of a new feature: sources, tests, fixtures, a canned response
	Scripts/feature $(NAME) $(MODEL)

example: setup ## Build and test the feature of the README's tutorial, and one that `make feature` writes
	Scripts/tutorial
	$(SWIFT_TEST) $(EXAMPLE)
	printf 'r\033' | swift run $(SWIFT_OPTIONS) $(EXAMPLE) departures-board
	Scripts/feature --check

docs: setup ## Build the documentation pages; fails on a warning, and on a public symbol without a comment
	Scripts/documentation

snippets: setup ## Compile and run the code in the documentation
	Scripts/snippets

postgrest: setup ## Test TableBackend with a Python client of PostgREST (needs Python, installs PyPI's postgrest)
	python3 -m venv .build/postgrest
	.build/postgrest/bin/pip install --quiet -r Tests/TableBackendTests/PostgRESTClient/requirements.txt
	POSTGREST_PYTHON="$(CURDIR)/.build/postgrest/bin/python" $(SWIFT_TEST) --filter PostgRESTClientTests

test-thread: setup ## Run every test of more than one thread under ThreadSanitizer
	$(FEWER) $(SWIFT_TEST) --no-parallel $(THREAD) --skip '$(ALONE)'

test-address: setup ## Run every test under AddressSanitizer
	$(FEWER) ASAN_OPTIONS=detect_leaks=0 $(SWIFT_TEST) $(ADDRESS)

# `make test` runs fewer random cases, as it is to take minutes only. These variables set how many there are.
test-long: setup ## Run the random tests for longer
	PERSISTENCE_QUERIES=20000 PERSISTENCE_WRITES=250 PERSISTENCE_TRANSACTIONS=2000 PERSISTENCE_KILLS=300 PERSISTENCE_CUTS=1 \
	POSTGRES_QUERIES=10000 POSTGRES_WRITES=120 SYNC_QUERIES=4000 OUTBOX_SEEDS=10000 \
	OUTBOX_KILLS=100 PERSISTENCE_SECONDS=60 JSON_CASES=200000 PARSER_MUTATIONS=200000 REQUEST_MUTATIONS=1000000 CACHE_SEEDS=2000 CACHE_WRITES=1000000 \
	$(SWIFT_TEST) --filter 'Agreement|PostgresSample|SampleTransaction|Durability|PowerCut|Simulation|Differential|Mutation|Fuzz|CacheModel|CacheEviction|ObservationStress'

# Foundation's HTTP client and XCTest's runner leak a little themselves: Scripts/leaks names the client, and the runner is left out.
test-leaks: setup ## Look for leaks in the suites of the runtime, the server and the stores
	LSAN_OPTIONS='suppressions="$(CURDIR)/Scripts/leaks":print_suppressions=0' $(SWIFT_TEST) $(ADDRESS) --disable-xctest --filter '$(LEAKS)'

web-flows: setup ## Use each feature in a real browser with the keyboard, and keep pictures of the screens in .build/screenshots
	WEB_FLOWS=1 $(SWIFT_TEST) --no-parallel --filter WebFlowTests

# make mutants TARGET=Persistence COUNT=100 SEED=2
TARGET = Feedback
COUNT = 50
SEED = 1
mutants: setup ## List small random changes to a target's sources that its tests do not notice; one build holds them all
	Scripts/mutants $(TARGET) --count $(COUNT) --seed $(SEED)

bench: setup ## Measure against bare baselines
	swift run -c release benchmark

names: ## Check that the tables for users of other libraries name what exists
	Scripts/names

architecture: ## Draw the floors in Documentation/Architecture.md anew, and check them
	Scripts/architecture

lint: ## Fail on anything that `make format` would change
	swift format lint --strict --recursive --parallel Package.swift Sources Tests Examples Documentation

format: ## Let swift-format settle the layout
	swift format --in-place --recursive --parallel Package.swift Sources Tests Examples Documentation

setup: ## Install the headers of the system libraries, where they are missing
	@Scripts/setup

clean:
	rm -rf .build
