#!/bin/sh
# Makes a WebAssembly component of the crate in the current folder: build-wasm.sh NAME leaves NAME.wasm there, NAME
# being that of the crate. To be called from a plugin's own build.sh; a copy of this folder in another project works too.
#
#   CARGO_TARGET_DIR  where cargo works; without it all plugins share one folder beside this one, and with it the
#                     standard library, if that has to be built
#   GATHERER          the program that makes a component of a module; without it `gatherer` on the path
#
# Ends with 0 when the component is there, with 3 and one line on standard error if something is missing for that.
set -eu

name=$1
sdk=$(cd "$(dirname "$0")" && pwd)
: "${CARGO_TARGET_DIR:=$(dirname "$sdk")/target}"
export CARGO_TARGET_DIR

skip() {
    echo "SKIPPED: $1" >&2
    exit 3
}

# Whether the compiler has the standard library of a target.
has_target() {
    folder=$("$1" --print target-libdir --target "$2" 2>/dev/null) || return 1
    for library in "$folder"/libstd-*.rlib; do
        [ -e "$library" ] && return 0
    done
    return 1
}

# Whether the compiler has the source of the standard library.
has_source() {
    sysroot=$("$1" --print sysroot 2>/dev/null) && [ -e "$sysroot/lib/rustlib/src/rust/library/Cargo.lock" ]
}

# A linker for WebAssembly that is not where a compiler from Debian looks: that of another Rust, or one of LLVM's.
find_linker() {
    for compiler in rustc /usr/bin/rustc; do
        sysroot=$("$compiler" --print sysroot 2>/dev/null) || continue
        host=$("$compiler" -vV | sed -n 's/^host: //p')
        linker=$sysroot/lib/rustlib/$host/bin/rust-lld
        [ -x "$linker" ] && echo "$linker" && return
    done
    for version in '' -22 -21 -20 -19 -18 -17 -16 -15 -14; do
        command -v "wasm-ld$version" && return
    done
    return 1
}

# build COMPILER TARGET [ARGUMENT...], with the cargo that belongs to the compiler.
build() {
    compiler=$1
    target=$2
    shift 2
    cargo=cargo
    if [ "$compiler" = /usr/bin/rustc ]; then
        # What another Rust has set for its children is not for this one.
        unset LD_LIBRARY_PATH RUSTUP_TOOLCHAIN
        cargo=/usr/bin/cargo
        RUSTC=$compiler
        export RUSTC
    fi
    [ -e Cargo.lock ] && set -- --locked "$@"
    # A program beside it is not for this target. Every gatherer's engine has vectors, which searching and copying go by;
    # whoever sets RUSTFLAGS decides for himself.
    "$cargo" build --release --lib --target "$target" --config 'profile.release.panic="abort"' \
        --config "target.$target.rustflags=[\"-Ctarget-feature=+simd128\"]" "$@"
}

# What rustc left, which is a module or, with WASI, already a component.
finish() {
    made=$CARGO_TARGET_DIR/$1/release/$(printf %s "$name" | tr - _).wasm
    case $1 in
    wasm32-unknown-unknown) "$gatherer" plugin component "$made" -o "$name.wasm" ;;
    *) cp "$made" "$name.wasm" ;;
    esac
    exit 0
}

gatherer=${GATHERER:-gatherer}
has_gatherer() {
    command -v "$gatherer" >/dev/null && return
    skip "no $gatherer to make a component with; cargo install --path . in the gatherer's folder, or set GATHERER"
}

for compiler in rustc /usr/bin/rustc; do
    if has_target "$compiler" wasm32-unknown-unknown; then
        has_gatherer
        build "$compiler" wasm32-unknown-unknown
        finish wasm32-unknown-unknown
    fi
    if has_target "$compiler" wasm32-wasip2; then
        build "$compiler" wasm32-wasip2
        finish wasm32-wasip2
    fi
done

for compiler in rustc /usr/bin/rustc; do
    has_source "$compiler" || continue
    has_gatherer
    linker=$(find_linker) || skip "no linker for WebAssembly; apt-get install lld-22"
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=$linker
    # The only way for a released compiler to build its standard library.
    RUSTC_BOOTSTRAP=1
    export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER RUSTC_BOOTSTRAP
    build "$compiler" wasm32-unknown-unknown -Zbuild-std=std,panic_abort
    finish wasm32-unknown-unknown
done

skip "no Rust for WebAssembly; rustup target add wasm32-unknown-unknown, or on Debian \
apt-get install --no-install-recommends rustc-web cargo-web rust-web-src lld-22"
