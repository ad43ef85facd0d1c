#!/bin/sh
# Leaves {{artifact}} here. Exit status 3: something is missing for that, and standard error says what.
set -eu
cd "$(dirname "$0")"
if [ -e {{artifact}} ] && [ -z "$(find plugin.c sdk build.sh -newer {{artifact}})" ]; then
    exit 0
fi
compiler=${CC:-cc}
if ! command -v "${compiler%% *}" >/dev/null; then
    echo "SKIPPED: no C compiler found: apt-get install gcc, or set CC" >&2
    exit 3
fi
$compiler -std=c11 -O2 -Wall -Wextra -fPIC -shared -fvisibility=hidden -Isdk plugin.c -o {{artifact}}.new
# Not over the old one, which may be in use.
mv {{artifact}}.new {{artifact}}
