#!/usr/bin/env bash
# Checks that the generated files are what make generate writes, in a copy, so that work in progress stays as it is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
tar -c --exclude=./.git --exclude=./bin . | tar -x -C "$copy"

make -s -C "$copy" generate
# Both trees began the same: whatever differs now was written by the generators.
if ! diff -ruN --exclude=.git --exclude=bin . "$copy"; then
  echo "generated: files are not current; run: make generate"
  exit 1
fi
echo "generated: files are current"
