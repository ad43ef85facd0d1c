#!/usr/bin/env node
// Keeps a copy of a gatherer's records in step, in one JSON file: broker.mjs http://127.0.0.1:8580 copy.json
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const [base, path] = [process.argv[2].replace(/\/$/, ''), process.argv[3]];
let copy = existsSync(path) ? JSON.parse(readFileSync(path)) : { cursor: '0', records: {} };

let answer = await fetch(`${base}/changes?since=${copy.cursor}`);
if (answer.status === 410) { // Another store, or one that was put back: everything anew.
    copy = { cursor: '0', records: {} };
    answer = await fetch(`${base}/changes?since=0`);
}
if (!answer.ok) throw new Error((await answer.json()).detail);
let rest = '';
for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop();
    for (const change of lines.map((line) => JSON.parse(line))) {
        if (change.change === 'update') copy.records[change.url] = change.record.attributes;
        else if (change.change === 'refresh') Object.assign(copy.records[change.url], change.attributes);
        else if (change.change === 'delete') delete copy.records[change.url];
        copy.cursor = change.cursor;
    }
}
writeFileSync(`${path}.new`, JSON.stringify(copy));
renameSync(`${path}.new`, path);
console.log(Object.keys(copy.records).length, 'records, at', copy.cursor);
