// Summarizes descriptions of HTTP interfaces: OpenAPI 3, and Swagger 2 from which it grew. Those in YAML are left to
// others.
//
// Documents come from strangers, so nothing about their shape is taken for granted: what is not of the type that it
// should be counts as missing.

import { read } from 'gatherer:plugin/body@0.1.0';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];
const DOCUMENT_MOST = 16 * 1024 * 1024;
const PIECE = 1024 * 1024;
// The engine has 32 MiB for all that JSON becomes, and takes minutes over what does not quite fit.
const PARTS_MOST = 500_000;
const OPERATIONS_MOST = 1000;
const REFERENCES_MOST = 500;
const LINE_MOST = 300;
const TEXT_MOST = 100_000;

export const plugin = {
    describe() {
        const about = 'how many operations are listed at most';
        const options = [{ name: 'operations', about, default: String(OPERATIONS_MOST) }];
        return { name: 'openapi', version: '1.0.0', kinds: ['OpenAPI'], options };
    },
};

export const summarizer = {
    summarize(document, content) {
        try {
            return draft(parse(whole(document, content)), most(document.options));
        } catch (error) {
            // What was not thrown on purpose is a mistake in here. It must not leave as anything else than an answer.
            throw error?.tag ? error : { tag: 'failed', val: String(error) };
        }
    },
};

function refuse(why) {
    throw { tag: 'refused', val: why };
}

// All bytes of the document: those that came with the call, and the rest.
function whole(document, content) {
    const size = Number(document.size);
    if (size > DOCUMENT_MOST) refuse(`larger than ${DOCUMENT_MOST} bytes`);
    if (document.cut) refuse('cut at the size limit: JSON cannot be read in part');
    if (content.length >= size) return content;
    const bytes = new Uint8Array(size);
    bytes.set(content);
    for (let at = content.length; at < size;) {
        const piece = read(BigInt(at), Math.min(PIECE, size - at));
        if (piece.length === 0) refuse(`only ${at} of ${size} bytes can be read`);
        bytes.set(piece, at);
        at += piece.length;
    }
    return bytes;
}

function parse(bytes) {
    if (parts(bytes) > PARTS_MOST) refuse(`more than ${PARTS_MOST} objects, lists and members`);
    let description;
    try {
        description = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    } catch (error) {
        // The engine's own words differ from version to version.
        if (error instanceof SyntaxError) refuse('not JSON');
        refuse(error instanceof TypeError ? 'not UTF-8' : 'too large for the memory at hand');
    }
    const version = text(members(description).openapi ?? members(description).swagger);
    if (!/^[23]\./.test(version)) refuse('no OpenAPI or Swagger of version 2 or 3');
    return description;
}

// How many objects, lists and members there are, give or take those that stand in texts.
function parts(bytes) {
    let count = 0;
    for (const sign of [',', '[', '{']) {
        const code = sign.charCodeAt(0);
        // Byte by byte would take seconds: the engine interprets, but searches at full speed.
        for (let at = bytes.indexOf(code); at >= 0 && count <= PARTS_MOST; at = bytes.indexOf(code, at + 1)) count++;
    }
    return count;
}

function draft(description, operationsMost) {
    const info = members(description.info);
    const { listed, told, all } = operations(description, operationsMost);
    const tags = list(description.tags).map(members);
    const tagNames = [...tags.map((tag) => tag.name), ...all.flatMap((operation) => list(operation.tags))].map(line);
    const places = servers(description);

    const attributes = [
        ['Title', line(info.title)],
        ['Description', text(info.description) || text(info.summary)],
        ['API-Version', line(info.version)],
        ['Format', 'openapi' in description ? `OpenAPI ${description.openapi}` : `Swagger ${description.swagger}`],
        ['Author', line(members(info.contact).name)],
        ['License', line(members(info.license).name)],
        ['Servers', lines(places)],
        ['Operations', lines(listed)],
        ['Tags', lines(unique(tagNames))],
    ];
    const paragraphs = [
        info.title, info.summary, info.description, ...tags.flatMap((tag) => [tag.name, tag.description]), ...told,
    ];
    const complaints = [];
    if (all.length > listed.length) complaints.push(`${all.length - listed.length} more operations are not listed`);
    return {
        attributes: attributes.filter(([, value]) => value !== '').map(([name, value]) => attribute(name, value)),
        text: lines(paragraphs.map((paragraph) => cut(text(paragraph), TEXT_MOST / 10)).filter(Boolean)) || undefined,
        references: references(description, tags, all, places),
        children: [],
        complaints,
    };
}

// Lines such as `GET /corn/{id}: One field of corn`, what the operations say of themselves, and the operations.
function operations(description, operationsMost) {
    const listed = [], told = [], all = [];
    for (const [path, item] of Object.entries(members(description.paths))) {
        // Names that begin otherwise are extensions.
        if (!path.startsWith('/')) continue;
        for (const method of METHODS) {
            const operation = members(item)[method];
            if (operation === null || typeof operation !== 'object' || Array.isArray(operation)) continue;
            all.push(operation);
            if (listed.length >= operationsMost) continue;
            const summary = line(operation.summary) || line(operation.operationId);
            const mark = operation.deprecated === true ? ' (deprecated)' : '';
            listed.push(line(`${method.toUpperCase()} ${path}${mark}${summary && `: ${summary}`}`));
            told.push(operation.summary, operation.description);
        }
    }
    return { listed, told, all };
}

// Where the interface is served. Variables have their defaults.
function servers(description) {
    if ('openapi' in description) {
        const urls = list(description.servers).map(members).map((server) => {
            const variables = members(server.variables);
            const value = (whole, name) => line(members(variables[name]).default) || whole;
            return line(server.url).replace(/\{([^{}]*)\}/g, value);
        });
        return unique(urls);
    }
    const [host, base] = [line(description.host), line(description.basePath)];
    const schemes = unique(list(description.schemes).map(line));
    if (host === '') return unique([base]);
    // Without a scheme it is served as the description is.
    return schemes.length === 0 ? [`//${host}${base}`] : schemes.map((scheme) => `${scheme}://${host}${base}`);
}

function references(description, tags, all, places) {
    const info = members(description.info);
    const found = [];
    const refer = (url, words, follow) => line(url) && found.push({ url: line(url), text: line(words), follow });
    for (const holder of [description, ...tags, ...all]) {
        const documentation = members(holder.externalDocs);
        refer(documentation.url, documentation.description, true);
    }
    refer(info.termsOfService, 'Terms of service', true);
    refer(members(info.contact).url, members(info.contact).name, true);
    refer(members(info.license).url, members(info.license).name, true);
    // Interfaces are for programs that know what they ask; a gatherer has no business there.
    places.forEach((url) => refer(url, 'Server', false));
    const seen = new Set();
    const isNew = ({ url }) => !seen.has(url) && seen.add(url);
    return found.filter(isNew).slice(0, REFERENCES_MOST);
}

function most(options) {
    const asked = options.find((option) => option.name === 'operations')?.value ?? '';
    return /^\d{1,9}$/.test(asked) ? Number(asked) : OPERATIONS_MOST;
}

function attribute(name, value) {
    return { name, value: new TextEncoder().encode(cut(value, TEXT_MOST)) };
}

// A text, or none. Halves of surrogate pairs, which JSON may hold, are no text.
function text(value) {
    if (typeof value === 'number') return String(value);
    return typeof value === 'string' ? value.toWellFormed().trim() : '';
}

function line(value) {
    return cut(cut(text(value), TEXT_MOST).replace(/\s+/g, ' '), LINE_MOST);
}

// As many of the lines as there is room for.
function lines(values) {
    let room = TEXT_MOST;
    return values.filter((value) => (room -= value.length + 1) >= 0).join('\n');
}

function cut(value, length) {
    return value.length > length ? value.slice(0, length).toWellFormed() : value;
}

function members(value) {
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {};
}

function list(value) {
    return Array.isArray(value) ? value : [];
}

function unique(values) {
    return [...new Set(values.filter((value) => value !== ''))];
}
