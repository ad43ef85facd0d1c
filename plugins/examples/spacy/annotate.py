#!/usr/bin/env python3
"""Words and grammar by spaCy, for the seam `annotate` of schemas/abstract/protocol.md.

    gatherer-parser --annotator "python3 annotate.py" worker

A long-lived worker on standard input and output. English needs a model (`--en NAME`, en_core_web_sm if nothing is said);
German is read with `--de NAME`, or, without a model, by spaCy's own tokenizer and its table of base forms: no parts of
speech then, no governors, no names.
"""

import argparse
import hashlib
import json
import sys

try:
    import spacy
except ImportError:
    sys.exit("annotate.py: spaCy is missing; install it with: pip install spacy")

#: The longest text that is taken.
MAX_BYTES = 1 << 20
#: Names in the words of the protocol; others are MISC.
KINDS = {
    "PERSON": "PER", "PER": "PER", "ORG": "ORG", "GPE": "LOC", "LOC": "LOC", "FAC": "LOC", "DATE": "DATE",
    "TIME": "TIME", "MONEY": "MONEY", "QUANTITY": "QUANTITY",
}


def load(arguments):
    """The pipelines by language, and what they are called."""
    pipelines, marks = {}, [spacy.__version__]
    for lang, name, is_asked in (("en", arguments.en or "en_core_web_sm", arguments.en), ("de", arguments.de, arguments.de)):
        if name is None:
            continue
        try:
            pipelines[lang] = spacy.load(name)
            marks.append("{}-{}".format(name, pipelines[lang].meta.get("version", "?")))
        except OSError:
            if is_asked:
                sys.exit("annotate.py: there is no model {}; install it, or name another with --{}".format(name, lang))
    for lang in ("en", "de"):
        if lang not in pipelines:
            pipelines[lang] = blank(lang)
            marks.append("blank-" + lang)
    return pipelines, hashlib.sha256("\n".join(marks).encode()).hexdigest()[:16]


def blank(lang):
    """Without a model: tokens, sentences, and base forms where their table is installed."""
    pipeline = spacy.blank(lang)
    pipeline.add_pipe("sentencizer")
    try:
        pipeline.add_pipe("lemmatizer", config={"mode": "lookup"})
        pipeline.initialize()
    except (ValueError, ImportError, KeyError):
        if "lemmatizer" in pipeline.pipe_names:
            pipeline.remove_pipe("lemmatizer")
    return pipeline


def annotation(pipeline, lang, text):
    """The answer for a text. Every line is read by itself: a heading governs nothing in the line below it."""
    sentences, start = [], 0
    lines = []
    for line in text.split("\n"):
        if line.strip():
            lines.append((start, line))
        start += len(line) + 1
    for (offset, _), document in zip(lines, pipeline.pipe(line for _, line in lines)):
        for sentence in document.sents:
            words = [token for token in sentence if not token.is_space]
            if words:
                sentences.append(one(sentence, words, offset))
    return {"annotate": 1, "lang": lang, "offsets": "source", "sentences": sentences}


def one(sentence, words, offset):
    """A sentence with its tokens, chunks and names."""
    ids = {token.i: number for number, token in enumerate(words, 1)}
    tokens = []
    for token in words:
        entry = {"id": ids[token.i], "form": token.text, "start": offset + token.idx,
                 "end": offset + token.idx + len(token.text)}
        if token.lemma_:
            entry["lemma"] = token.lemma_
        if token.pos_:
            entry.update(upos=token.pos_, xpos=token.tag_, feats=str(token.morph), deprel=token.dep_)
            entry["head"] = 0 if token.head.i == token.i else ids.get(token.head.i, 0)
        tokens.append({name: value for name, value in entry.items() if value != ""})
    chunks = []
    if sentence.doc.has_annotation("DEP"):
        for chunk in sentence.noun_chunks:
            inside = [ids[token.i] for token in chunk if token.i in ids]
            if inside:
                chunks.append({"kind": "NP", "first": inside[0], "last": inside[-1], "head": ids.get(chunk.root.i, inside[-1])})
    entities = []
    for entity in sentence.ents:
        inside = [ids[token.i] for token in entity if token.i in ids]
        if inside:
            entities.append({"kind": KINDS.get(entity.label_, "MISC"), "first": inside[0], "last": inside[-1]})
    first, last = words[0], words[-1]
    return {"start": offset + first.idx, "end": offset + last.idx + len(last.text), "tokens": tokens, "chunks": chunks,
            "entities": entities}


def send(header, body=b""):
    header["len"] = len(body)
    sys.stdout.buffer.write(json.dumps(header).encode() + b"\n" + body)
    sys.stdout.buffer.flush()


def answer(request, body, pipelines, fingerprint):
    """One reply for one request."""
    head = {"id": request["id"], "status": "error", "fingerprint": fingerprint}
    if request.get("want") != "annotate":
        return dict(head, code="unsupported-want", message="only annotate is given"), b""
    if request.get("type") != "text/plain":
        return dict(head, code="unsupported-type", message="only text/plain is read"), b""
    lang = request.get("lang", "auto").split("-")[0]
    if lang not in pipelines:
        return dict(head, code="unsupported-language", message="only {}".format(", ".join(sorted(pipelines)))), b""
    try:
        text = body.decode(request.get("charset", "utf-8"))
    except (LookupError, UnicodeDecodeError) as error:
        return dict(head, code="bad-document", message=str(error)), b""
    found = annotation(pipelines[lang], lang, text)
    if not found["sentences"]:
        return dict(head, status="empty"), b""
    return dict(head, status="ok", type="application/json"), json.dumps(found).encode()


def main():
    parser = argparse.ArgumentParser(description="Words and grammar by spaCy, as frames on standard input and output")
    parser.add_argument("--en", metavar="MODEL", help="the English model; en_core_web_sm if it is installed")
    parser.add_argument("--de", metavar="MODEL", help="the German model; the tokenizer alone if nothing is said")
    pipelines, fingerprint = load(parser.parse_args())
    hello = {"nlap": 1, "name": "spacy", "version": spacy.__version__, "fingerprint": fingerprint,
             "langs": sorted(pipelines), "types": ["text/plain"], "levels": ["annotate"], "window": 1,
             "max_bytes": MAX_BYTES, "deterministic": True}
    print(json.dumps(hello), flush=True)
    stream = sys.stdin.buffer
    for line in iter(stream.readline, b""):
        request = json.loads(line)
        body = stream.read(request.get("len", 0))
        if "bye" in request:
            break
        if "ping" in request:
            send({"pong": request["ping"]})
        elif "id" in request and "url" in request:
            send(*answer(request, body, pipelines, fingerprint))


if __name__ == "__main__":
    main()
