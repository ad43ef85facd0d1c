"""Summarizes plain text: its title, how many lines and words it has, and where it leads.

Runs in a sandbox without files, clocks, chance and network: calling for one of them ends it. wit/plugin.wit is the
contract; names in it are written here as Python writes them (`media-type` is `media_type`).
"""

import re
from itertools import islice

from componentize_py_types import Err
from wit_world import exports
from wit_world.imports import body
from wit_world.imports.types import Attribute, Description, Draft, Error_Failed, Error_Refused, Reference, Setting

SIZE_MOST = 16 * 1024 * 1024
PIECE = 1024 * 1024
TITLE_MOST = 200
REFERENCES_MOST = 1000
URL_MOST = 2000
URL = re.compile(r"https?://[^\s<>()\"']+")


class Plugin(exports.Plugin):
    def describe(self):
        """Has to agree with plugin.toml."""
        return Description("{{name}}", "0.1.0", ["Text"], [Setting("words", "whether to count words", "true")])


class Summarizer(exports.Summarizer):
    def summarize(self, document, content):
        """Bytes in, a draft out; the same bytes give the same draft."""
        try:
            return draft(document, whole(document, content))
        except Err:
            raise
        except MemoryError:
            raise refused("it is too large for the memory at hand")
        except Exception as error:
            # A mistake in here. It must not leave as anything else than an answer.
            raise Err(Error_Failed(f"{type(error).__name__}: {error}"))


def refused(why):
    """The next summarizer takes over."""
    return Err(Error_Refused(why))


def whole(document, content):
    """All bytes of the document: those that came with the call, and the rest."""
    if document.size > SIZE_MOST:
        raise refused("it is larger than 16 MiB")
    pieces, at = [content], len(content)
    while at < document.size:
        piece = body.read(at, PIECE)
        if not piece:
            raise refused("its end cannot be read")
        pieces.append(piece)
        at += len(piece)
    return b"".join(pieces)


def draft(document, content):
    if b"\0" in content:
        raise refused("it holds NUL bytes")
    options = {option.name: option.value for option in document.options}
    text = content.decode(errors="replace")
    values = {"Title": title(text), "Lines": str(text.count("\n") + (text[-1:] not in ("", "\n")))}
    if options.get("words") != "false":
        values["Words"] = str(len(text.split()))
    urls = (found[0].rstrip(".,;:!?") for found in URL.finditer(text) if found.end() - found.start() <= URL_MOST)
    return Draft(
        attributes=[Attribute(name, value.encode(), None, None) for name, value in values.items() if value],
        text=text,
        references=[Reference(url, "", True) for url in islice(urls, REFERENCES_MOST)],
        canonical=None,
        children=[],
        complaints=[],
    )


def title(text):
    """The first line that is not blank."""
    line = re.search(r"\S.*", text)
    return line[0][:TITLE_MOST].strip() if line else ""
