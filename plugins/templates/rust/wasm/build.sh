#!/bin/sh
# Leaves {{artifact}} here. Exit status 3: something is missing for that, and standard error says what.
cd "$(dirname "$0")" && exec sh sdk/build-wasm.sh {{name}}
