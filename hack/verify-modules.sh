#!/usr/bin/env bash
# Checks that each go.mod says what its code needs, no more and no less, and that hack/dependencies.md gives a reason for every
# direct dependency of the main module and for nothing else.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

failed=false

for module in . hack/tools hack/controlplane hack/servers/*; do
  if ! go -C "$module" mod tidy -diff; then
    echo "modules: $module/go.mod is not tidy; run: go -C $module mod tidy"
    failed=true
  fi
done

# A direct dependency is a require line without the comment "// indirect".
wanted=$(go list -m -f '{{if not (or .Main .Indirect)}}{{.Path}}{{end}}' all | sed '/^$/d' | sort)
# shellcheck disable=SC2016 # the backquotes are Markdown's
reasons=$(sed -n 's/^| `\([^`]*\)` | .*[^ ].* |$/\1/p' hack/dependencies.md | sort)
missing=$(comm -23 <(echo "$wanted") <(echo "$reasons"))
stale=$(comm -13 <(echo "$wanted") <(echo "$reasons"))
if [[ -n $missing ]]; then
  echo "modules: no reason in hack/dependencies.md for:" "${missing//$'\n'/ }"
  failed=true
fi
if [[ -n $stale ]]; then
  echo "modules: hack/dependencies.md names what go.mod does not require:" "${stale//$'\n'/ }"
  failed=true
fi

if $failed; then exit 1; fi
echo "modules: tidy, with a reason for each dependency"
