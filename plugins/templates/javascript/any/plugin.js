// Summarizes plain text: its title, how many lines and words it has, and where it leads.
//
// Runs in a sandbox without files, clocks, network and console. wit/plugin.wit is the contract; names in it are written
// here as JavaScript writes them (`media-type` is `mediaType`), and what is optional may be undefined.

import { read } from 'gatherer:plugin/body@0.1.0';

const SIZE_MOST = 16 * 1024 * 1024;
const PIECE = 1024 * 1024;
const TITLE_MOST = 200;
const REFERENCES_MOST = 1000;
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
            return draft(new TextDecoder().decode(bytes), document.options);
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
    if (size > SIZE_MOST) refuse('it is larger than 16 MiB');
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

function draft(text, options) {
    const lines = text.split('\n');
    if (lines.at(-1) === '') lines.pop();
    const title = lines.find((line) => line.trim() !== '')?.trim() ?? '';
    const values = [['Title', title.slice(0, TITLE_MOST).toWellFormed()], ['Lines', String(lines.length)]];
    if (options.find((option) => option.name === 'words')?.value !== 'false') {
        values.push(['Words', String(text.match(/\S+/g)?.length ?? 0)]);
    }
    const urls = [...text.matchAll(URLS)].slice(0, REFERENCES_MOST).map(([url]) => url.replace(/[.,;:!?]+$/, ''));
    return {
        attributes: values.filter(([, value]) => value !== '').map(([name, value]) => attribute(name, value)),
        text,
        references: urls.map((url) => ({ url, text: '', follow: true })),
        children: [],
        complaints: [],
    };
}

function attribute(name, value) {
    return { name, value: new TextEncoder().encode(value) };
}
