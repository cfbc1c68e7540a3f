#!/usr/bin/env bash
# Runs every fuzz target of the packages, one after the other: the go command fuzzes only one at a time.
#
#   hack/fuzz.sh 30s [PACKAGES]      the time each target gets; all packages by default
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

time=${1:?usage: hack/fuzz.sh TIME [PACKAGES]}
shift

# Only packages with a fuzz target in their sources are compiled to list the targets.
mapfile -t candidates < <(go list -f '{{range .TestGoFiles}}{{$.ImportPath}} {{$.Dir}}/{{.}}
{{end}}{{range .XTestGoFiles}}{{$.ImportPath}} {{$.Dir}}/{{.}}
{{end}}' "${@:-./...}")

found=0
failed=()
for package in $(for candidate in "${candidates[@]}"; do
  [[ -n $candidate ]] || continue
  if grep -q '^func Fuzz' "${candidate#* }"; then echo "${candidate%% *}"; fi
done | sort -u); do
  targets=$(go test -list '^Fuzz' "$package" | grep '^Fuzz')
  for target in $targets; do
    found=$((found + 1))
    echo "fuzz: $package $target for $time"
    go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 10x "$package" || failed+=("$package $target")
  done
done

echo "fuzz: $found targets, ${#failed[@]} failed"
if ((${#failed[@]})); then
  printf '  %s\n' "${failed[@]}"
  exit 1
fi
