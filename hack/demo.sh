#!/usr/bin/env bash
# Runs the website example in a control plane of its own until it settles. ork prints the custom resource with its status and
# the children; its exit code is this script's.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

KUBEBUILDER_ASSETS=$(hack/controlplane.sh)
export KUBEBUILDER_ASSETS
hack/build.sh -buildvcs=false -o bin/ork .
exec bin/ork run -f examples/website/katalog.yaml --embedded --until-settled=60s
