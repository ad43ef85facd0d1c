#!/bin/sh
# Nothing to build. Exit status 3: what the program needs is missing.
set -eu
command -v awk >/dev/null || {
    echo "SKIPPED: awk: install mawk or gawk" >&2
    exit 3
}
