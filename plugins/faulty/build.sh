#!/bin/sh
# Builds what misbehaves: the libraries first, then the component, which needs more.
set -eu
cd "$(dirname "$0")"
sdk=${GATHERER_SDK:-../sdk/c}
compiler=${CC:-cc}
if ! command -v "${compiler%% *}" >/dev/null; then
    echo "SKIPPED: no C compiler found: apt-get install gcc, or set CC" >&2
    exit 3
fi
library() {
    # The compiler warns of endless recursion, which is the point.
    $compiler -std=gnu11 -O2 -Wall -Wextra -Wno-infinite-recursion -fPIC -shared -fvisibility=hidden -I"$sdk" "$1" -o "$2"
}
library faulty.c dylib/faulty.so
for name in wrong-version no-symbol null-table no-function; do
    library "$name.c" "$name.so"
done
exec sh "$sdk/component.sh" summarizer wasm/faulty.wasm \
    -DGATHERER_LOG -DGATHERER_BODY -DGATHERER_DEADLINE -Wno-infinite-recursion faulty.c
