# Short names for what one types often. The plain commands of the README work without make.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help

# The linter, at the version that works with go.mod's Go.
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.7.0
# What looks for known vulnerabilities, and what lists the parts of the program, whose version .ci/sbom.mod has.
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.5.0
CYCLONEDX := -modfile .ci/sbom.mod github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod
SBOM := issuegrid.sbom.json
# The packages that talk to the engine. Everything else does so through them.
ENGINE_TESTS := ./dynamo ./dynamo/activity ./dynamo/comments ./dynamo/people ./dynamo/uploads ./dynamo/views
# The real tracker's issues.
REAL_DATA := ../shared/data/titanium-jira/issues.csv.gz
# How long their tests may take.
REAL_DATA_TIME := 60m
# Further flags of go test, to run some of them.
REAL_DATA_FLAGS :=
# The packages with tests on them.
REAL_DATA_TESTS = $$(git grep -l '^//go:build.*realdata' -- '*_test.go' | xargs dirname | sort -u | sed 's:^:./:')
# Which benchmarks to run, of which packages, and with which flags of go test. -short uses less data and time.
BENCH := .
BENCH_PACKAGES := ./...
BENCH_FLAGS := -benchmem
# The benchmarks of test/bench that have targets and take half a minute each with -short.
BENCH_SHORT := ^Benchmark(Page|Depth|Overload)$$

.PHONY: help test race race-graph race-others race-smoke engine-smoke real-data-smoke verify fuzz soak lint gofmt vet staticcheck lint-deploy generate web lint-web test-web test-browser test-browser-smoke test-walk test-clients test-real-data test-all-orders test-dynamodb-local bench bench-short bench-browser release vulncheck sbom image ci

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-20s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

test: ## the tests whose outcome depends on the code alone, against the embedded engine
	go test -timeout 60m ./...

# Packages that start the program as users build it, so that the race detector would see only their own code. The servers of
# test/chaos and test/soak are built with it.
NO_RACE := issuegrid/test/bench issuegrid/test/docs issuegrid/test/process
# How many cases each property test of package rapid runs with the race detector, instead of 100.
RACE_CHECKS := 20
RACE_FLAGS :=

# What go vet finds is for make vet.
RACE = CGO_ENABLED=1 RAPID_CHECKS=$(RACE_CHECKS) go test -race -count=1 -timeout 60m -vet=off $(RACE_FLAGS) -v

race: race-graph race-others ## the tests with the race detector

race-graph: ## those of the package graph, which take as long as all others
	$(RACE) ./graph | awk -f .ci/tests.awk

race-others: ## those of the other packages
	$(RACE) $$(go list ./... | grep -vxF "$$(printf '%s\n' issuegrid/graph $(NO_RACE))") | awk -f .ci/tests.awk

# Packages whose tests all run with the race detector in CI. Of the others in RACE_SOME, those tests run that start goroutines themselves.
# graph and what imports it are for make verify: to compile them takes longer than to test all of these.
RACE_ALL := ./internal/account ./internal/auth ./internal/cache ./internal/runner ./internal/traffic ./loaders ./internal/session ./internal/telemetry
RACE_SOME := ./dynamo ./internal/importer ./internal/importjob ./internal/local
# Those of them that send the most requests, and have few goroutines of their own, are for make verify, too.
RACE_SLOW := ^Test(CheckDuringWrites|UpdateIssueConflicts|FieldLimit|AllFieldsAtOnce)$$

race-smoke: ## the tests that start goroutines with the race detector
	CGO_ENABLED=1 RAPID_CHECKS=10 go test -race -count=1 -timeout 60m -vet=off -v $(RACE_ALL) | awk -f .ci/tests.awk
	CGO_ENABLED=1 RAPID_CHECKS=10 go test -race -count=1 -timeout 60m -vet=off -v \
		-run "$$(awk -f .ci/concurrent.awk $(RACE_SOME:%=%/*_test.go))" -skip '$(RACE_SLOW)' $(RACE_SOME) | awk -f .ci/tests.awk

lint: gofmt vet staticcheck ## formatting, go vet and staticcheck, also of code behind build tags

gofmt:
	@files=$$(git ls-files -z "*.go" | xargs -0 gofmt -l); [[ -z $$files ]] || { printf 'gofmt would change:\n%s\n' "$$files"; exit 1; }

vet:
	go vet -tags realdata ./...

staticcheck:
	go run $(STATICCHECK) -tags realdata ./...

lint-deploy: ## cfn-lint and kubeconform on the templates and the manifest in deploy/. Needs Python 3
	.ci/lint-deploy

generate: ## write the generated code again from the schema
	go generate ./...

# How many inputs each fuzz target tries, how many targets run at the same time, and which there are: package and name. Inputs are
# counted, because a target whose time ends while it minimizes an input fails with "context deadline exceeded".
FUZZ_RUNS := 50000
FUZZ_AT_ONCE := 2
FUZZ := internal/auth:FuzzToken graph:FuzzBody graph:FuzzFilter graph/model:FuzzParseNodeID grid:FuzzParseCursor dynamo/internal/layout:FuzzKeys dynamo/internal/client:FuzzDecode \
	internal/importer:FuzzCSVAgrees internal/importer:FuzzCSVReader

fuzz: ## FUZZ_RUNS inputs for every fuzz target: tokens, bodies, filters, ids, cursors, keys, files
	@printf '%s\n' $(FUZZ) | xargs -P $(FUZZ_AT_ONCE) -I{} bash -c 't={}; go test -run "^$$" -fuzz "^$${t#*:}\$$" -fuzztime $(FUZZ_RUNS)x -fuzzminimizetime 100x -parallel 1 "./$${t%:*}"'

# How long the soak lasts, in minutes, and how often servers are restarted under load.
SOAK_TIME := 10m
RESTARTS := 100

soak: ## a server at full load with faults and outages for SOAK_TIME, every answer compared; then RESTARTS rolling restarts under load
	ISSUEGRID_VERIFY=1 ISSUEGRID_SOAK=$(SOAK_TIME) go test -count=1 -timeout 60m -run '^TestSoak$$' -v ./test/soak | awk -v all=1 -f .ci/tests.awk
	ISSUEGRID_VERIFY=1 ISSUEGRID_RESTARTS=$(RESTARTS) go test -count=1 -timeout 60m -run '^TestRollingRestarts$$' -v ./test/soak | awk -v all=1 -f .ci/tests.awk

# The client's packages, as package-lock.json has them.
WEB_INSTALL = cd web && npm ci --loglevel error

web: ## build the grid and the playground from web/src into web/dist, which is embedded and committed. Needs npm
	$(WEB_INSTALL) && npm run build

lint-web: ## types, eslint and formatting of the grid and the playground
	$(WEB_INSTALL) && npm run lint

test-web: ## unit tests of the grid and the playground
	$(WEB_INSTALL) && npm run codegen && npm test

# Which of the files, such as --shard=1/2; empty for all.
SHARD :=

test-browser: ## the grid and the playground in Chromium, on the sample and on a real tracker's issues, and one run in Firefox; screenshots go to web/browser/artifacts
	@[[ -f $(REAL_DATA) ]] || { echo 'the real data is not at $(REAL_DATA); name it with REAL_DATA=FILE'; exit 1; }
	$(WEB_INSTALL) && ISSUEGRID_REAL_DATA=$(abspath $(REAL_DATA)) npm run test:browser -- $(SHARD)

test-browser-smoke: ## those of the tests in Chromium that CI runs
	$(WEB_INSTALL) && npm run test:browser -- --tagsFilter smoke $$(cd browser && grep -l "tags: \['smoke'\]" *.test.ts)

test-walk: ## 1,000 random edits of the grid in two tabs, while requests fail, each compared with the API. Takes minutes; ISSUEGRID_WALK_SEED repeats a walk as far as the timing is the same
	$(WEB_INSTALL) && npm run codegen && npx vitest run -c browser/walk.config.ts

test-clients: ## front-end tools on the schema; Relay, urql, Apollo Client, graphql-request, Houdini, and clients in Go and Python, against a server; docs/frontend.md. Needs npm, python3-venv and Chromium
	cd test/e2e/clients && npm ci --loglevel error && npm test

test-real-data: ## import a real tracker's 29,057 issues and compare every cell, every order, and filters, and copies of its exports
	@[[ -f $(REAL_DATA) ]] || { echo 'the real data is not at $(REAL_DATA); name it with REAL_DATA=FILE'; exit 1; }
	ISSUEGRID_REAL_DATA=$(abspath $(REAL_DATA)) go test -tags realdata -count=1 -timeout $(REAL_DATA_TIME) -run RealData $(REAL_DATA_FLAGS) -v $(REAL_DATA_TESTS) | awk -v all=1 -f .ci/tests.awk

test-all-orders: ## test-real-data with every order and direction of every column and project; before a release
	ISSUEGRID_ALL_ORDERS=1 $(MAKE) test-real-data REAL_DATA_TIME=3h

test-dynamodb-local: ## the packages that talk to the engine, and the real data's project ALOY, against Amazon's DynamoDB Local
	.ci/dynamodb-local/run go test -count=1 -timeout 60m -v $(ENGINE_TESTS) | awk -f .ci/tests.awk
	@[[ -f $(REAL_DATA) ]] || { echo 'the real data is not at $(REAL_DATA); name it with REAL_DATA=FILE'; exit 1; }
	ISSUEGRID_REAL_DATA=$(abspath $(REAL_DATA)) ISSUEGRID_REAL_DATA_PROJECT=ALOY .ci/dynamodb-local/run \
		go test -tags realdata -count=1 -timeout 60m -run '^TestRealData$$' -v ./test/e2e | awk -f .ci/tests.awk

engine-smoke: ## the tests that two engines can answer differently, against Amazon's DynamoDB Local
	RAPID_CHECKS=10 .ci/dynamodb-local/run bash -c '\
		go test -count=1 -timeout 60m -vet=off -v -run "$$(awk -f .ci/engine.awk dynamo/*_test.go)" ./dynamo && \
		go test -count=1 -timeout 60m -vet=off -v ./dynamo/uploads ./dynamo/people ./dynamo/views' | awk -f .ci/tests.awk

real-data-smoke: ## the cells, orders and filters of one project of the real data, and a copy of some rows with nasty cells
	@[[ -f $(REAL_DATA) ]] || { echo 'the real data is not at $(REAL_DATA); name it with REAL_DATA=FILE'; exit 1; }
	ISSUEGRID_REAL_DATA=$(abspath $(REAL_DATA)) ISSUEGRID_REAL_DATA_PROJECT=ALOY \
		go test -tags realdata -count=1 -timeout 60m -vet=off -run '^TestRealData(Nasty)?$$' -v ./test/e2e | awk -f .ci/tests.awk

bench: ## benchmarks and a soak, which fail if they miss a target of docs/benchmarks.md; BENCH='name' picks some
	go test -run '^$$' -bench '$(BENCH)' -timeout 60m $(BENCH_FLAGS) $(BENCH_PACKAGES)
	[[ '$(BENCH)' != . ]] || $(MAKE) soak SOAK_TIME=1m

bench-short: ## those benchmarks with targets that take two minutes together
	$(MAKE) bench BENCH='$(BENCH_SHORT)' BENCH_PACKAGES=./test/bench BENCH_FLAGS='-short -benchtime 1x'


# How many issues the measured project has.
ROWS := 100000

bench-browser: ## times of the grid in Chromium on a project of ROWS generated issues, after an import of minutes
	$(WEB_INSTALL) && npm run codegen && ISSUEGRID_ROWS=$(ROWS) npx vitest run -c browser/figures.config.ts

# The version of a release, such as v1.2.3.
VERSION :=

release: ## name the section Unreleased of CHANGELOG.md VERSION, and keep the schema for comparisons
	@[[ '$(VERSION)' =~ ^v[0-9]+\.[0-9]+\.[0-9]+$$ ]] || { echo 'name the version with VERSION=v1.2.3'; exit 1; }
	@! grep -q '^## $(VERSION)$$' CHANGELOG.md || { echo 'CHANGELOG.md has the version $(VERSION)'; exit 1; }
	sed -i 's/^## Unreleased$$/## Unreleased\n\n## $(VERSION)/' CHANGELOG.md
	cp schema.graphqls test/testdata/schema-released.graphqls

vulncheck: ## known vulnerabilities of what the program calls; asks vuln.go.dev, and fails where that can't be reached
	go run $(GOVULNCHECK) ./...

sbom: ## write what the program consists of, as CycloneDX 1.6, to SBOM=FILE
	go run $(CYCLONEDX) app -json -licenses -output $(SBOM) -main . .

image: ## build the container image issuegrid; needs Docker
	docker build -f deploy/Dockerfile --build-arg VERSION="$$(git describe --tags --always --dirty)" -t issuegrid .

verify: ## the suites that take too long for CI, or that depend on the machine: all, those for a change with CHANGED=1, or SUITES='walk soak'
	@.ci/verify $(SUITES)

verify-%: ## one suite of .ci/suites
	@.ci/verify $*

ci: ## everything that CI checks
	bash .ci/run
