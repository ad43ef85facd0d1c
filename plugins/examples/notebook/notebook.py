"""Summarizes Jupyter notebooks: format 4, and format 3 which kept its cells in worksheets.

Documents come from strangers, so nothing about their shape is taken for granted: what is not of the type that it should
be counts as missing.
"""

import json
import re

from componentize_py_types import Err
from wit_world import exports
from wit_world.imports import body
from wit_world.imports.types import Attribute, Description, Draft, Error_Failed, Error_Refused, Reference, Setting

DOCUMENT_MOST = 16 * 1024 * 1024
PIECE = 1024 * 1024
DEPTH_MOST = 64
LINES_MOST = 1000
LINE_MOST = 300
TEXT_MOST = 200_000

# A string of JSON, closed or not: either way it is passed over only once.
STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))

FENCE = re.compile(r" {0,3}(```|~~~)")
HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$")
LINK = re.compile(r"(!?)\[([^\[\]]{0,300})\]\(\s*<?([^\s()<>]{1,2000})>?(?:\s+[\"'(][^\n]{0,300}?[\"')])?\s*\)")
BARE = re.compile(r"<(https?://[^\s<>]{1,2000})>")
MARKUP = re.compile(r"\*\*|__|`+|</?[a-zA-Z][^<>]{0,300}>")

# How languages name what they build on. Others have no imports here.
IMPORTS = {
    "python": re.compile(r"[ \t]*(?:import[ \t]+(?P<all>[\w., \t]+)|from[ \t]+(?P<one>\.*[\w.]*)[ \t]+import\b)"),
    "r": re.compile(r"[ \t]*(?:library|require)[ \t]*\([ \t]*[\"']?(?P<one>[\w.]+)"),
    "julia": re.compile(r"[ \t]*(?:using|import)[ \t]+(?P<all>[\w., \t]+)"),
}


class Plugin(exports.Plugin):
    def describe(self):
        options = [Setting("code", "whether the code is part of the text", "false")]
        return Description("notebook", "1.0.0", ["Notebook"], options)


class Summarizer(exports.Summarizer):
    def summarize(self, document, content):
        with_code = any(option.name == "code" and option.value == "true" for option in document.options)
        try:
            return draft(parse(whole(document, content)), with_code)
        except Err:
            raise
        except MemoryError:
            raise refused("too large for the memory at hand")
        except Exception as error:
            # A mistake in here. It must not leave as anything else than an answer.
            raise Err(Error_Failed(f"{type(error).__name__}: {error}"))


def refused(why):
    return Err(Error_Refused(why))


def whole(document, content):
    """All bytes of the document: those that came with the call, and the rest."""
    if document.size > DOCUMENT_MOST:
        raise refused(f"larger than {DOCUMENT_MOST} bytes")
    if document.cut:
        raise refused("cut at the size limit: JSON cannot be read in part")
    pieces, at = [content], len(content)
    while at < document.size:
        piece = body.read(at, min(PIECE, document.size - at))
        if not piece:
            raise refused(f"only {at} of {document.size} bytes can be read")
        pieces.append(piece)
        at += len(piece)
    return b"".join(pieces)


def parse(content):
    content = content.removeprefix(b"\xef\xbb\xbf")
    if is_deep(content):
        raise refused(f"no JSON, or nested deeper than {DEPTH_MOST}")
    try:
        notebook = json.loads(content.decode())
    except ValueError as error:
        raise refused("not UTF-8" if isinstance(error, UnicodeError) else "not JSON")
    if not isinstance(notebook, dict) or type(notebook.get("nbformat")) is not int or not cells(notebook):
        raise refused("no notebook: nbformat or cells are missing")
    return notebook


def is_deep(content):
    """Whether brackets are nested too deeply, or do not match. The parser of JSON goes as deep as the document does,
    and a stack that is used up ends all of the plugin."""
    brackets = STRING.sub(b"", content).translate(None, NO_BRACKETS)
    for _ in range(DEPTH_MOST):
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
    return bool(brackets)


def cells(notebook):
    found = list(members(notebook, "cells"))
    for sheet in members(notebook, "worksheets"):
        found.extend(members(sheet, "cells"))
    return found


def draft(notebook, with_code):
    metadata = table(notebook, "metadata")
    language = one_line(table(metadata, "kernelspec").get("language") or table(metadata, "language_info").get("name"))
    # Notebooks that do not say are older than other languages.
    pattern = IMPORTS.get((language or "python").lower())
    headings, imports, texts, references = [], {}, [], {}
    found = cells(notebook)
    for cell in found:
        source = join(cell.get("source", cell.get("input")))
        match cell.get("cell_type"):
            case "markdown":
                read_markdown(source, headings, texts, references)
            case "heading":
                headings.append(one_line(source))
                texts.append(one_line(source))
            case "code":
                imports.update(dict.fromkeys(imported(source, pattern)))
                texts.extend([source] if with_code else [])
    title = one_line(metadata.get("title")) or next(filter(None, headings), "")
    values = [
        ("Title", title),
        ("Author", lines(one_line(author.get("name")) for author in members(metadata, "authors"))),
        ("Headings", lines(headings)),
        ("Programming-Language", language),
        ("Imports", lines(imports)),
        ("Cells", str(len(found))),
        ("Format", f"Jupyter notebook {notebook['nbformat']}"),
    ]
    return Draft(
        attributes=[Attribute(name, value.encode(), None, None) for name, value in values if value],
        text=cut("\n\n".join(filter(None, texts)), TEXT_MOST) or None,
        references=[Reference(url, text, True) for url, text in list(references.items())[:LINES_MOST]],
        canonical=None,
        children=[],
        complaints=[],
    )


def read_markdown(source, headings, texts, references):
    """Takes the headings and references of a cell, and what a person would read of it."""
    fence, kept = None, []
    for line in source.splitlines():
        mark = FENCE.match(line)
        if mark and fence in (None, mark[1]):
            fence = None if fence else mark[1]
            continue
        heading = None if fence else HEADING.match(line)
        if heading:
            line = heading[1]
        if not fence:
            for picture, text, url in LINK.findall(line):
                if not picture:
                    references.setdefault(url, plain(text))
            for url in BARE.findall(line):
                references.setdefault(url, "")
            line = plain(line)
        if heading:
            headings.append(one_line(line))
        kept.append(line)
    texts.append("\n".join(kept).strip())


def plain(line):
    return MARKUP.sub("", LINK.sub(r"\2", BARE.sub(r"\1", line)))


def imported(source, pattern):
    """What the lines of a code cell import, as far as one line tells it."""
    for line in source.splitlines() if pattern else []:
        found = pattern.match(line[:LINE_MOST])
        groups = found.groupdict() if found else {}
        if groups.get("one"):
            yield groups["one"]
        for name in (groups.get("all") or "").split(","):
            # `import numpy as np`: the name comes first.
            yield from name.split()[:1]


def table(holder, name):
    value = holder.get(name)
    return value if isinstance(value, dict) else {}


def members(holder, name):
    """The objects in a list."""
    value = holder.get(name)
    return [member for member in value if isinstance(member, dict)] if isinstance(value, list) else []


def join(source):
    """The lines of a cell, which may be one text or a list of them."""
    parts = source if isinstance(source, list) else [source]
    text = cut("".join(part for part in parts if isinstance(part, str)), TEXT_MOST)
    # JSON may hold halves of surrogate pairs, which are no text.
    return text.encode(errors="replace").decode()


def one_line(value):
    return cut(" ".join(join(value).split()), LINE_MOST)


def lines(values):
    return "\n".join(list(dict.fromkeys(filter(None, values)))[:LINES_MOST])


def cut(text, length):
    return text[:length]
