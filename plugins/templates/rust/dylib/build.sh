#!/bin/sh
# Leaves {{artifact}} here. Exit status 3: something is missing for that, and standard error says what.
set -eu
cd "$(dirname "$0")"
command -v cargo >/dev/null || {
    echo "SKIPPED: no Rust: install it from https://rustup.rs" >&2
    exit 3
}
CARGO_TARGET_DIR=target cargo build --quiet --release
for library in target/release/{{artifact}} target/release/lib{{crate}}.dylib; do
    if [ -e "$library" ]; then
        # Not over the old one, which may be in use.
        cp "$library" {{artifact}}.new
        mv {{artifact}}.new {{artifact}}
    fi
done
