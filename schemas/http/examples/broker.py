#!/usr/bin/env python3
"""Keeps a copy of a gatherer's records in step, in one JSON file: broker.py http://127.0.0.1:8580 copy.json"""
import json, os, sys, urllib.error, urllib.request

base, path = sys.argv[1].rstrip("/"), sys.argv[2]
copy = json.load(open(path)) if os.path.exists(path) else {"cursor": "0", "records": {}}

def collect(copy):
    with urllib.request.urlopen(f"{base}/changes?since={copy['cursor']}", timeout=600) as lines:
        for line in lines:
            change, records = json.loads(line), copy["records"]
            if change["change"] == "update": records[change["url"]] = change["record"]["attributes"]
            elif change["change"] == "refresh": records[change["url"]].update(change["attributes"])
            elif change["change"] == "delete": records.pop(change["url"], None)
            copy["cursor"] = change["cursor"]
    return copy

try:
    copy = collect(copy)
except urllib.error.HTTPError as error:
    if error.code != 410: sys.exit(f"{error.code}: {json.load(error)['detail']}")
    copy = collect({"cursor": "0", "records": {}})  # Another store, or one that was put back: everything anew.
with open(path + ".new", "w") as file: json.dump(copy, file)
os.replace(path + ".new", path)
print(len(copy["records"]), "records, at", copy["cursor"])
