#!/bin/sh
# Leaves {{artifact}} here. Exit status 3: something is missing for that, and standard error says what.
set -eu
cd "$(dirname "$0")"

artifact={{artifact}}
sources="plugin.js build.mjs package-lock.json wit/plugin.wit"

skip() {
    echo "SKIPPED: $1" >&2
    exit 3
}

# shellcheck disable=SC2086 # a list of names without spaces
if [ -e "$artifact" ] && [ -z "$(find $sources -newer "$artifact")" ]; then
    exit 0
fi
major=$(node --version 2>/dev/null | sed -n 's/^v\([0-9]*\)\..*/\1/p')
[ "${major:-0}" -ge 20 ] || skip "Node 20 or newer: install nodejs from https://nodejs.org or your packages"
command -v npm >/dev/null || skip "npm: install it beside Node"
if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
    npm ci --silent --no-audit --no-fund >/dev/null 2>&1 ||
        skip "the packages in package-lock.json: 'npm ci' must reach an npm registry"
fi
node build.mjs
echo "built $artifact"
