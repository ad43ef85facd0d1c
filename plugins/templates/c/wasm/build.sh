#!/bin/sh
# Leaves {{artifact}} here. Exit status 3: something is missing for that, and standard error says what.
set -eu
cd "$(dirname "$0")"
if [ -e {{artifact}} ] && [ -z "$(find plugin.c sdk build.sh -newer {{artifact}})" ]; then
    exit 0
fi
# Each of -DGATHERER_LOG, -DGATHERER_BODY and -DGATHERER_DEADLINE stands for one of the grants in plugin.toml.
exec sh sdk/component.sh summarizer {{artifact}} -DGATHERER_BODY plugin.c sdk/gatherer-plugin-wasm.c
