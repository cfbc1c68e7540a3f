#!/usr/bin/env bash
# Checks the scripts: their syntax, that they can be run, and with shellcheck where it is installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts=(.ci/run hack/*.sh)
for script in "${scripts[@]}"; do
  bash -n "$script"
  if [[ ! -x $script ]]; then
    echo "scripts: $script is not executable; run: chmod +x $script"
    exit 1
  fi
done

if command -v shellcheck >/dev/null; then
  shellcheck "${scripts[@]}"
  echo "scripts: clean"
else
  echo "scripts: syntax is right; install shellcheck to check more"
fi
