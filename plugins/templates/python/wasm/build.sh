#!/bin/sh
# Leaves {{artifact}} here. Exit status 3: something is missing for that, and standard error says what.
set -eu
cd "$(dirname "$0")"

artifact={{artifact}}
wit=wit/plugin.wit
tool=componentize-py==0.25.1

skip() {
    echo "SKIPPED: $1" >&2
    exit 3
}

if [ -e "$artifact" ] && [ -z "$(find app.py build.sh "$wit" -newer "$artifact")" ]; then
    exit 0
fi
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null ||
    skip "Python 3.10 or newer: install python3"
if [ ! -e ".venv/$tool" ]; then
    python3 -m venv --clear .venv >/dev/null 2>&1 || skip "Python's venv: install python3-venv"
    .venv/bin/pip install --quiet --disable-pip-version-check "$tool" >/dev/null 2>&1 ||
        skip "$tool: 'pip install' must reach a package index that has it for this machine"
    touch ".venv/$tool"
fi
# Without WASI: a summarizer needs no files, clocks, random numbers or network.
.venv/bin/componentize-py --quiet --wit-path "$wit" --world summarizer-plugin \
    componentize --stub-wasi app --output "$artifact.new"
# At once, so that nobody ever finds half of it.
mv "$artifact.new" "$artifact"
echo "built $artifact"
