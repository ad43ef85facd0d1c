#!/bin/sh
# Builds ndjson.wasm.
set -eu
cd "$(dirname "$0")"
sdk=${GATHERER_SDK:-../../sdk/c}
exec sh "$sdk/component.sh" recognizer ndjson.wasm ndjson.c "$sdk/gatherer-plugin-wasm.c"
