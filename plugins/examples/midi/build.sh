#!/bin/sh
# Builds midi.so.
set -eu
cd "$(dirname "$0")"
compiler=${CC:-cc}
if ! command -v "${compiler%% *}" >/dev/null; then
    echo "SKIPPED: no C compiler found: apt-get install gcc, or set CC" >&2
    exit 3
fi
sdk=${GATHERER_SDK:-../../sdk/c}
$compiler -std=c11 -O2 -Wall -Wextra -fPIC -shared -fvisibility=hidden -I"$sdk" midi.c -o midi.so
