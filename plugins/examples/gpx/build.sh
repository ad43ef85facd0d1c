#!/bin/sh
# Leaves libgpx.so here, whatever the system calls its libraries. CARGO_TARGET_DIR says where cargo works, if it is set.
# Ends with 3 and one line on standard error if something is missing.
set -eu
cd "$(dirname "$0")"

skip() {
    echo "SKIPPED: $1" >&2
    exit 3
}

command -v cargo >/dev/null || skip "no Rust; get it from rustup.rs"
command -v cc >/dev/null || skip "no linker; apt-get install gcc"

cargo build --release --locked
for made in libgpx.so libgpx.dylib gpx.dll; do
    if [ -e "${CARGO_TARGET_DIR:-target}/release/$made" ]; then
        cp "${CARGO_TARGET_DIR:-target}/release/$made" libgpx.so
        exit 0
    fi
done
exit 1
