#!/usr/bin/env bash
# Checks the import floors through all packages in between, which the linter's rules, one import at a time, cannot see.
# Dependencies of tests do not count.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

module=$(go list -m)
failed=false

# never PACKAGES DEPENDENCY REASON: none of the packages may need, through whatever lies between, a package whose path matches
# DEPENDENCY as a whole or up to a slash.
never() {
  local all needed folder=${1%/...}
  # A floor that has no code yet can't be wrong, and go list takes its pattern for a mistake.
  [[ -d $folder ]] || return 0
  all=$(go list -deps "$1")
  needed=$(grep -E "^($2)(/|\$)" <<<"$all" || true)
  if [[ -n $needed ]]; then
    echo "imports: $1 must not need these, for $3:"
    echo "  ${needed//$'\n'/$'\n'  }"
    failed=true
  fi
}

never ./api/... "sigs.k8s.io/controller-runtime" "reading a Katalog takes no controller library"
never ./conditions/... "(k8s.io/client-go|sigs.k8s.io/controller-runtime)" "what is compiled from a Katalog reads no cluster"
never ./runtime/... "$module/gateway" "runtime and gateway meet in the API server and over HTTP"
never ./gateway/... "$module/(runtime|controllers)" "runtime and gateway meet in the API server and over HTTP"
for package in ./internal/call ./internal/command ./internal/livehttp ./internal/series; do
  never "$package" "$module/(controllers|runtime|gateway|envtest)" "runtime and gateway share it"
done
never ./envtest "$module/(runtime|gateway)" "the control plane of tests knows nothing of what runs in it"
never ./runtime/cli "k8s.io/apiextensions-apiserver/pkg/apiserver" "only the developer's binary has the schema code of simulations"
never ./runtime/engine "$module/providers/(external/.+|git|docker|aws|mongodb|postgres|builtin)" "a provider is registered by main or by the user who wants its client"
heavy="github.com/(aws/(aws-sdk-go-v2|smithy-go)|jackc/.+|redis/go-redis|twmb/franz-go|go-git/.+|gliderlabs/ssh|moby/(buildkit|moby)|docker/.+|tonistiigi/.+"
heavy+="|containerd/.+|google/go-containerregistry)|go\\.mongodb\\.org"
for package in ./runtime/engine ./runtime/simulate ./runtime/cli ./gateway/...; do
  never "$package" "($heavy)" "an operator has the clients that its program registers, and no others"
done
for package in ./providers ./providers/external ./providers/checkout ./providers/reach; do
  never "$package" "($heavy)" "a contract knows no technology"
done

if $failed; then exit 1; fi
echo "imports: every floor holds"
