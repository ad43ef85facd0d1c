// Summarizes plain text: its title, how many lines and words it has, and where it leads.
//
// Runs in a sandbox without files, clocks, network and console. wit/plugin.wit is the contract; names in it are written
// here as JavaScript writes them (`media-type` is `mediaType`), and what is optional may be undefined.

import { read } from 'gatherer:plugin/body@0.1.0';

// The engine interprets: it takes half a second for each MiB that is looked at byte by byte.
const SIZE_MOST = 4 * 1024 * 1024;
const PIECE = 1024 * 1024;
const TITLE_MOST = 200;
const REFERENCES_MOST = 1000;
const URL_MOST = 2000;
const URLS = /https?:\/\/[^\s<>()"']+/g;

// Has to agree with plugin.toml.
export const plugin = {
    describe() {
        const words = { name: 'words', about: 'whether to count words', default: 'true' };
        return { name: '{{name}}', version: '0.1.0', kinds: ['Text'], options: [words] };
    },
};

export const summarizer = {
    summarize(document, content) {
        try {
            const bytes = whole(document, content);
            if (bytes.includes(0)) refuse('it holds NUL bytes');
            return draft(bytes, document.options);
        } catch (error) {
            // What was not thrown on purpose is a mistake in here. It must not leave as anything else than an answer.
            throw error?.tag ? error : { tag: 'failed', val: String(error) };
        }
    },
};

// The next summarizer takes over.
function refuse(why) {
    throw { tag: 'refused', val: why };
}

// All bytes of the document: those that came with the call, and the rest.
function whole(document, content) {
    const size = Number(document.size);
    if (size > SIZE_MOST) refuse('it is larger than 4 MiB');
    if (content.length >= size) return content;
    const bytes = new Uint8Array(size);
    bytes.set(content);
    for (let at = content.length; at < size;) {
        const piece = read(BigInt(at), Math.min(PIECE, size - at));
        if (piece.length === 0) refuse('its end cannot be read');
        bytes.set(piece, at);
        at += piece.length;
    }
    return bytes;
}

function draft(bytes, options) {
    const text = new TextDecoder().decode(bytes);
    const title = text.match(/\S.*/)?.[0] ?? '';
    const { lines, words } = count(bytes);
    const values = [['Title', title.slice(0, TITLE_MOST).toWellFormed().trim()], ['Lines', String(lines)]];
    if (options.find((option) => option.name === 'words')?.value !== 'false') values.push(['Words', String(words)]);
    return {
        attributes: values.filter(([, value]) => value !== '').map(([name, value]) => attribute(name, value)),
        text,
        references: references(text),
        children: [],
        complaints: [],
    };
}

// Over the bytes, because a list of all words might need more memory than the engine has, which is 32 MiB.
function count(bytes) {
    let [lines, words, isInWord] = [0, 0, false];
    for (let at = 0; at < bytes.length; at++) {
        const isBlank = bytes[at] === 32 || (bytes[at] >= 9 && bytes[at] <= 13);
        if (!isBlank && !isInWord) words++;
        if (bytes[at] === 10) lines++;
        isInWord = !isBlank;
    }
    return { lines: bytes.length > 0 && bytes.at(-1) !== 10 ? lines + 1 : lines, words };
}

function references(text) {
    const found = [];
    for (const [match] of text.matchAll(URLS)) {
        let end = match.length;
        while ('.,;:!?'.includes(match[end - 1])) end--;
        if (end <= URL_MOST) found.push({ url: match.slice(0, end), text: '', follow: true });
        if (found.length === REFERENCES_MOST) break;
    }
    return found;
}

function attribute(name, value) {
    return { name, value: new TextEncoder().encode(value) };
}
