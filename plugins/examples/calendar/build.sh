#!/bin/sh
# Nothing to build. Exit status 3: what the program needs is missing.
set -eu
python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || {
    echo "SKIPPED: Python 3.9 or newer: install python3" >&2
    exit 3
}
