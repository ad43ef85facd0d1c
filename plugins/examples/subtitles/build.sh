#!/bin/sh
# Builds subtitles.wasm.
set -eu
cd "$(dirname "$0")"
sdk=${GATHERER_SDK:-../../sdk/c}
exec sh "$sdk/component.sh" summarizer subtitles.wasm -DGATHERER_BODY subtitles.c "$sdk/gatherer-plugin-wasm.c"
