#!/bin/sh
# Keeps a copy of a gatherer's records in step, one JSON line each: broker.sh http://127.0.0.1:8580 copy.jsonl
# Needs curl and awk. The first four members of a change always stand in the same order, and no URL has a quote in it.
set -eu
base=${1%/} copy=$2
since=$(cat "$copy.cursor" 2>/dev/null || echo 0)
curl -sS --fail-with-body "$base/changes?since=$since" > "$copy.changes" || { cat "$copy.changes" >&2; exit 1; }
tail -n 1 "$copy.changes" | grep -q '^{"change":"end"' || { echo 'cut off; the copy stays as it was' >&2; exit 1; }
touch "$copy"
cat "$copy" "$copy.changes" | awk -F'"' '
    function renew(name) {
        if (match($0, "\"" name "\":\"[0-9]+\"")) sub("\"" name "\":\"[0-9]+\"", substr($0, RSTART, RLENGTH), kept[$14])
    }
    $4 == "update" { kept[$14] = $0 }
    $4 == "refresh" { renew("Update-Time"); renew("Time-to-Live"); renew("Refresh-Rate") }
    $4 == "delete" { delete kept[$14] }
    END { for (url in kept) print kept[url] }' > "$copy.new"
mv "$copy.new" "$copy"
tail -n 1 "$copy.changes" | awk -F'"' '{ print $8 }' > "$copy.cursor.new" && mv "$copy.cursor.new" "$copy.cursor"
echo "$(wc -l < "$copy") records, at $(cat "$copy.cursor")"
