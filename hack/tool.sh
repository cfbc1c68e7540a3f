#!/usr/bin/env bash
# Prints the path of a tool that this repository pins, and builds it first when the cache does not hold it.
#
#   hack/tool.sh NAME      the last element of a package path in hack/tools (golangci-lint, controller-gen, setup-envtest),
#                          or a folder below hack/servers: a server that the suites start (ferretdb, versitygw)
#   hack/tool.sh --cached NAME      does not build: fails when the cache does not hold it
#
# A server has a module of its own, with one tool line, because what servers need does not go together.
#
# The cache lies outside the checkout, so that a second checkout and `make clean` do not cost another build. Its key holds
# Go's version as well: a linter refuses code of a newer Go than the one it was built with.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

cached=false
if [[ ${1:-} == --cached ]]; then cached=true && shift; fi
name=${1:?usage: hack/tool.sh [--cached] NAME}
module=tools
if [[ -f servers/$name/go.mod ]]; then module=servers/$name; fi
cd "$module"

# A workspace or build flags of the caller must not change what is pinned here.
export GOWORK=off GOFLAGS=-buildvcs=false

package='' version=''
while read -r path pinned; do
  if [[ $module != tools || ${path##*/} == "$name" ]]; then package=$path version=$pinned; fi
done < <(go list -find -f '{{.ImportPath}} {{.Module.Version}}' tool)
if [[ -z $package ]]; then
  echo "tool: $name is neither a tool of hack/tools/go.mod nor a folder of hack/servers" >&2
  exit 1
fi

flags=()
case $name in
  # The command asks for a version file that its module lacks, and looks whether it needs one in the module's build
  # information; without that it starts.
  ferretdb) flags=(-ldflags '-X runtime.modinfo=none') ;;
esac

bin=${XDG_CACHE_HOME:-$HOME/.cache}/orkestra/bin
tool=$bin/$name-$version-$(go env GOVERSION)
if [[ -x $tool ]]; then
  echo "$tool"
  exit 0
fi
if $cached; then
  echo "tool: $name $version is not built" >&2
  exit 1
fi

mkdir -p "$bin"
# One build at a time: a second caller waits for the first one's result instead of building it again.
exec 9>"$bin/$name.lock"
flock 9
if [[ ! -x $tool ]]; then
  echo "tool: building $name $version (kept in $tool)" >&2
  go build -trimpath "${flags[@]}" -o "$tool.new" "$package" >&2
  mv "$tool.new" "$tool"
fi
echo "$tool"
