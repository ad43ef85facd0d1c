#!/bin/sh
# What each form of plugin costs: the built-in summarizer of web pages, compiled from the same sources as a component, a
# library and a program, each beside the built-in one, in turns, on one page.
#
#   sh tests/bench/html/compare.sh PAGE.html [TIMES]
#
#   GATHERER          the program that is asked; without it `gatherer` on the path
#   CARGO_TARGET_DIR  where cargo works
set -eu

page=$(realpath "$1")
times=${2:-4000}
gatherer=$(command -v "${GATHERER:-gatherer}") || {
    echo "no gatherer; cargo install --path . in its folder, or set GATHERER" >&2
    exit 3
}
cd "$(dirname "$0")"
: "${CARGO_TARGET_DIR:=$PWD/target}"
export CARGO_TARGET_DIR GATHERER="$gatherer"

cargo build --release --locked --quiet
cp "$CARGO_TARGET_DIR/release/libhtml_again.so" dylib/
cp "$CARGO_TARGET_DIR/release/html-again" program/
# Two forms of one plugin may be called the same; it goes on without a component where none can be built.
sh ../../../plugins/sdk/rust/build-wasm.sh html-again && mv html-again.wasm wasm/

bench() {
    echo "== $1"
    shift
    "$gatherer" plugin bench "$@" --count "$times"
}
if [ -e wasm/html-again.wasm ]; then
    # The first start compiles it, the second finds it in the cache.
    "$gatherer" plugin bench wasm "$page" --count 1 >/dev/null
    bench component wasm "$page"
fi
bench 'library in the gatherer' dylib "$page" --in-process
# As many at once as a run asks: one at a time, what a process takes to wake would count and not what it does.
bench 'library in a worker' dylib "$page" --at-once "$(nproc)"
bench 'program that stays' program "$page" --at-once "$(nproc)"
