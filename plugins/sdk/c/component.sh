#!/bin/sh
# Builds a component from C: component.sh ROLE COMPONENT ARGUMENT...
# ROLE is that of plugin.toml; ARGUMENTs go to the compiler: the sources, gatherer-plugin-wasm.c among them, and what
# they ask for, such as -DGATHERER_LOG. Ends with status 3 and one line on standard error if a tool is missing.
#
# WASM_CC is the compiler, with its arguments; else a clang with a C library for WASI is looked for (WASI_SYSROOT says
# where that is), else Zig from PyPI. GATHERER is the program that makes a component of the core module.
set -eu
role=$1
component=$2
shift 2
sdk=$(dirname "$0")

skip() {
    echo "SKIPPED: $*" >&2
    exit 3
}

gatherer=${GATHERER:-gatherer}
command -v "$gatherer" >/dev/null || skip "no $gatherer found: put it into PATH, or name it in GATHERER"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags="-std=c11 -O2 -mexec-model=reactor -Wl,--no-entry -Wl,--strip-all -Wl,-z,stack-size=262144"

# A clang may be there without a linker or a library for WebAssembly, so each is tried.
printf '#include <stdlib.h>\nvoid *get(size_t size) { return malloc(size); }\n' > "$work/try.c"
links() {
    command -v "$1" >/dev/null && "$@" $flags "$work/try.c" -o "$work/try.wasm" 2>/dev/null
}

find_compiler() {
    for clang in clang-19 clang clang-22 clang-21 clang-20 clang-18 clang-17 clang-16 clang-15 clang-14; do
        compiler="$clang --target=wasm32-wasi --sysroot=${WASI_SYSROOT:-/usr}"
        links $compiler && return
    done
    compiler="python3 -m ziglang cc -target wasm32-wasi"
    links $compiler && return
    skip "no C compiler for WebAssembly: apt-get install clang-14 lld-14 wasi-libc libclang-rt-14-dev-wasm32," \
        "or pip install ziglang, or set WASM_CC"
}

if [ -n "${WASM_CC:-}" ]; then compiler=$WASM_CC; else find_compiler; fi
# With the stack below the data, an overflow is a trap and not a change of the data. Zig does so unasked.
if links $compiler -Wl,--stack-first; then flags="$flags -Wl,--stack-first"; fi

role_macro=GATHERER_$(printf '%s' "$role" | tr 'a-z-' 'A-Z_')
$compiler $flags -Wall -Wextra -I"$sdk" -D"$role_macro" "$@" -o "$work/core.wasm"
"$gatherer" plugin component "$work/core.wasm" -o "$component" --world "$role-plugin"
