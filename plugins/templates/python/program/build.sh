#!/bin/sh
# Nothing to build. Exit status 3: something is missing to run it, and standard error says what.
set -eu
cd "$(dirname "$0")"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null || {
    echo "SKIPPED: Python 3.8 or newer: install python3" >&2
    exit 3
}
chmod +x {{artifact}}
