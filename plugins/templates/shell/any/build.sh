#!/bin/sh
# Nothing to build. Exit status 3: something is missing to run it, and standard error says what.
set -eu
cd "$(dirname "$0")"
command -v awk >/dev/null || {
    echo "SKIPPED: awk: install mawk or gawk" >&2
    exit 3
}
chmod +x {{artifact}}
