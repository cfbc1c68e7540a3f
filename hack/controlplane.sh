#!/usr/bin/env bash
# Finds or builds a folder with etcd, kube-apiserver and kubectl, and prints it as the last line of its output: a value for
# KUBEBUILDER_ASSETS. Everything else goes to stderr.
#
#   hack/controlplane.sh          kube-controller-manager, kube-scheduler and kwok as well (make demo, make test)
#   hack/controlplane.sh --api    the API server alone is enough: a download by setup-envtest will do
#
# The first of these that holds: KUBEBUILDER_ASSETS as it is set, the cache, a download (with --api), a build from modules.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

api_only=false
if [[ ${1:-} == --api ]]; then api_only=true; fi

say() { echo "control plane: $*" >&2; }

# complete DIR: does the folder hold every part that is asked for?
complete() {
  local part parts=(etcd kube-apiserver kubectl)
  $api_only || parts+=(kube-controller-manager kube-scheduler kwok kwok-stages.yaml)
  for part in "${parts[@]}"; do
    [[ -e $1/$part ]] || return 1
  done
}

if [[ -n ${KUBEBUILDER_ASSETS:-} ]]; then
  if complete "$KUBEBUILDER_ASSETS"; then
    say "KUBEBUILDER_ASSETS is set"
    echo "$KUBEBUILDER_ASSETS"
    exit 0
  fi
  say "KUBEBUILDER_ASSETS=$KUBEBUILDER_ASSETS lacks a part and is passed over"
fi

version=$(awk '$1 == "k8s.io/kubernetes" { print $2 }' controlplane/go.mod)
content=$(cat controlplane/*.go controlplane/go.mod controlplane/go.sum | sha256sum | cut -c1-12)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/orkestra
assets=$cache/controlplane-$version-$content

if complete "$assets"; then
  echo "$assets"
  exit 0
fi

if $api_only; then
  # Where the download cannot be reached, this must not cost the time of a test run.
  if downloaded=$(timeout 60 "$(./tool.sh setup-envtest)" use "${version#v}" -p path 2>/dev/null) && complete "$downloaded"; then
    say "downloaded by setup-envtest"
    echo "$downloaded"
    exit 0
  fi
fi

mkdir -p "$cache"
# One build at a time: a second caller waits for the first one's result instead of building it again.
exec 9>"$cache/controlplane.lock"
flock 9
if complete "$assets"; then
  echo "$assets"
  exit 0
fi

say "building Kubernetes $version from modules (about 28 CPU-minutes the first time, kept in $assets)"
work=$(mktemp -d "$cache/.build-XXXXXX")
progress=
trap 'rm -rf "$work"; [[ -z $progress ]] || kill "$progress" 2>/dev/null || true' EXIT

go -C controlplane mod download >&2
total=$(go -C controlplane list -deps . | wc -l)
say "$total packages to compile, if none is in Go's build cache"
(
  start=$SECONDS
  while sleep 30; do
    say "building, $((SECONDS - start)) s, $(wc -l <"$work/compiled" 2>/dev/null || echo 0) packages compiled"
  done
) &
progress=$!

package=k8s.io/component-base/version
number=${version#v}
minor=${number#*.}
minor=${minor%%.*}
# The versions are stamped because an unstamped apiserver reports one that no client can parse.
go -C controlplane build -v -trimpath -buildvcs=false -o "$work/controlplane" -ldflags "-s -w \
  -X $package.gitVersion=$version -X $package.gitMajor=${number%%.*} -X $package.gitMinor=$minor \
  -X $package.gitTreeState=clean -X $package.gitCommit=$(printf '0%.0s' {1..40}) \
  -X $package.buildDate=2026-01-01T00:00:00Z -X k8s.io/client-go/pkg/version.gitVersion=$version" \
  . 2> >(tee "$work/compiled" | grep -vE '^[[:alnum:]_./-]+$' >&2 || true)
kill "$progress" 2>/dev/null || true
progress=

"$work/controlplane" kwok-stages >"$work/kwok-stages.yaml"
rm -f "$work/compiled"
for part in etcd kube-apiserver kube-controller-manager kube-scheduler kubectl kwok; do
  ln -s controlplane "$work/$part"
done
chmod 755 "$work"
rm -rf "$assets"
mv "$work" "$assets"
say "done"
echo "$assets"
