#!/usr/bin/env bash
# Prints the path of a tool that hack/tools pins, and builds it first when the cache does not hold it.
#
#   hack/tool.sh NAME      the last element of the tool's package path: golangci-lint, controller-gen, setup-envtest
#
# The cache lies outside the checkout, so that a second checkout and `make clean` do not cost another build. Its key holds
# Go's version as well: a linter refuses code of a newer Go than the one it was built with.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/tools"

name=${1:?usage: hack/tool.sh NAME}

# A workspace or build flags of the caller must not change what is pinned here.
export GOWORK=off GOFLAGS=-buildvcs=false

package='' version=''
while read -r path pinned; do
  if [[ ${path##*/} == "$name" ]]; then package=$path version=$pinned; fi
done < <(go list -find -f '{{.ImportPath}} {{.Module.Version}}' tool)
if [[ -z $package ]]; then
  echo "tool: $name is not among the tools of hack/tools/go.mod" >&2
  exit 1
fi

bin=${XDG_CACHE_HOME:-$HOME/.cache}/orkestra/bin
tool=$bin/$name-$version-$(go env GOVERSION)
if [[ -x $tool ]]; then
  echo "$tool"
  exit 0
fi

mkdir -p "$bin"
# One build at a time: a second caller waits for the first one's result instead of building it again.
exec 9>"$bin/$name.lock"
flock 9
if [[ ! -x $tool ]]; then
  echo "tool: building $name $version (kept in $tool)" >&2
  go build -trimpath -o "$tool.new" "$package" >&2
  mv "$tool.new" "$tool"
fi
echo "$tool"
