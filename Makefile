SHELL := /usr/bin/env bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# Packages, and a regular expression of tests: make test PKG=./runtime/queue RUN=TestQueue
PKG        ?= ./...
RUN        ?= .
# The time that the tests of one package, and each fuzz target, get.
TIMEOUT    ?= 20m
FUZZTIME   ?= 30s
# Further arguments of golangci-lint and of hack/bench.
LINT_ARGS  ?=
BENCH_ARGS ?=

# Version control stamps need git to trust the checkout's owner, which it does not in a container that runs as root.
export GOFLAGS ?= -buildvcs=false

# A tool that hack/tools pins; the first use builds it into the cache.
tool = $$(hack/tool.sh $(1))
# Packages whose tests start no control plane.
pure = go list $(PKG) | grep -vE '/(envtest|examples|hack)(/|$$)'

.PHONY: help
help: ## List the targets.
	@awk 'BEGIN { FS = ":.*## " } \
	  /^##@/ { printf "\n%s\n", substr($$0, 5) } \
	  /^[a-z-]+:.*## / { printf "  %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

##@ Develop

.PHONY: build
build: ## Compile every package and bin/ork.
	go build $(PKG)
	hack/build.sh -o bin/ork .

.PHONY: generate
generate: ## Write the generated files anew: deep copies, CRDs, the role, and what go:generate lines name.
	controller_gen=$(call tool,controller-gen); \
	"$$controller_gen" object paths=./api/v1/...; \
	"$$controller_gen" crd paths=./api/v1/... output:crd:dir=config/crd/bases; \
	"$$controller_gen" rbac:roleName=orkestra paths=./runtime/... output:rbac:dir=config/rbac
	go generate ./...

.PHONY: fmt
fmt: ## Format the code, imports in the order that lint asks for.
	golangci_lint=$(call tool,golangci-lint); "$$golangci_lint" fmt

##@ Check

.PHONY: lint
lint: ## Run the linters of .golangci.yml.
	golangci_lint=$(call tool,golangci-lint); "$$golangci_lint" run $(LINT_ARGS) $(PKG)

.PHONY: verify
verify: ## Check what a compiler does not: generated files, modules, import floors, what the binary holds, scripts.
	hack/verify-scripts.sh
	hack/verify-imports.sh
	hack/verify-size.sh
	hack/verify-modules.sh
	hack/verify-generated.sh

.PHONY: test
test: servers ## Run all tests; the suites bring up real control planes and other servers.
	assets=$$(hack/controlplane.sh); \
	KUBEBUILDER_ASSETS=$$assets go test -p 2 -timeout $(TIMEOUT) -run '$(RUN)' $(PKG)

.PHONY: test-race
test-race: ## Run the tests that need no control plane under the race detector.
	packages=$$($(pure)); \
	go test -race -timeout $(TIMEOUT) -run '$(RUN)' $$packages

.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZTIME (30s).
	hack/fuzz.sh $(FUZZTIME) $(PKG)

.PHONY: bench
bench: ## Measure the operator against a control plane: make bench BENCH_ARGS=...
	assets=$$(hack/controlplane.sh); \
	KUBEBUILDER_ASSETS=$$assets go run ./hack/bench $(BENCH_ARGS)

##@ Run

.PHONY: control-plane
control-plane: ## Find or build etcd, the API server and the controllers; the last line is the folder.
	@hack/controlplane.sh

.PHONY: servers
servers: ## Build the servers that suites need and Debian has not: hack/servers. The first time takes minutes.
	@for module in hack/servers/*/; do nice -n 10 hack/tool.sh "$$(basename "$$module")"; done

.PHONY: demo
demo: ## Run the website example in a control plane of its own until it settles, and show what came of it.
	@hack/demo.sh

.PHONY: clean
clean: ## Remove what was built in the checkout; the cache of tools and control planes stays.
	rm -rf bin
