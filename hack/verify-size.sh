#!/usr/bin/env bash
# Checks that the linker could leave out of bin/ork what nobody calls: see hack/build.sh. The name is that of the call in Go's own templates.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

hack/build.sh -o bin/ork .
caller='text/template.(*state).evalField'
if go tool nm bin/ork | grep -F " $caller" | grep -vF "/$caller"; then
  echo "size: bin/ork executes text/template or html/template, and with them everything that could be called is kept;"
  echo "  find who does with: go build -tags grpcnotrace -ldflags=-dumpdep . 2>&1 | grep -F -e '-> $caller'"
  exit 1
fi
echo "size: what nobody calls is left out"
