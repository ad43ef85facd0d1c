#!/usr/bin/env python3
"""Summarizes iCalendar files (RFC 5545): a program that stays and speaks schemas/summarizer/since-0.1/messages.md.

Needs nothing but Python's own library. Not called calendar.py, because that is a part of it.
"""

import json
import re
import struct
import sys
from datetime import date, datetime, time, timedelta, timezone

ABOUT = {
    "name": "calendar",
    "version": "1.0.0",
    "kinds": ["ICalendar"],
    "options": [{"name": "children", "about": "whether each event has a record of its own", "default": "true"}],
}

DOCUMENT_MOST = 16 * 1024 * 1024
PIECE = 1024 * 1024
EVENTS_MOST = 2000
DESCRIPTION_MOST = 10_000
LINE_MOST = 300
TEXT_MOST = 500_000

PARAMETER = r';[\w-]+=(?:"[^"]*"|[^";:,]*)(?:,(?:"[^"]*"|[^";:,]*))*'
PROPERTY = re.compile(rf"([\w-]+)(?:{PARAMETER})*:(.*)", re.ASCII)
# Others are passed over: a calendar may have millions of them.
WANTED = frozenset(
    "DESCRIPTION DTEND DTSTAMP DTSTART LAST-MODIFIED LOCATION NAME PRODID RECURRENCE-ID RRULE SUMMARY TIMEZONE-ID UID URL "
    "X-WR-CALDESC X-WR-CALNAME X-WR-TIMEZONE".split()
)
MOMENT = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$", re.ASCII)
ENDLESS = datetime.max


class Refused(Exception):
    """This document is not for this plugin."""


# --- The conversation -----------------------------------------------------------------------------------------------


class Gatherer:
    """The other side: standard input and output."""

    def __init__(self):
        self.input, self.output = sys.stdin.buffer, sys.stdout.buffer
        # Whatever prints by mistake must not print into the conversation.
        sys.stdout = sys.stderr
        self.features = []
        # Of the question at hand. All that is said to it repeats it.
        self.number = 0

    def receive(self):
        start = self.input.read(12)
        if len(start) < 12:
            sys.exit(0)
        head, body, self.number = struct.unpack(">III", start)
        return json.loads(self.input.read(head)), self.input.read(body)

    def send(self, message):
        head = json.dumps(message).encode()
        self.output.write(struct.pack(">III", len(head), 0, self.number) + head)
        self.output.flush()

    def read(self, offset, length):
        """More of the document; nothing where that is not granted."""
        if "read" not in self.features:
            return b""
        self.send({"read": {"offset": offset, "length": length}})
        return self.receive()[1]

    def serve(self):
        """Answers until standard input is closed."""
        while True:
            message, body = self.receive()
            if "hello" in message:
                self.features = message["hello"].get("features") or []
                self.send({"hello": {"protocol": "gatherer-plugin", "version": "0.1", "description": ABOUT}})
            elif "summarize" in message:
                self.send(self.answer(message["summarize"], body))
            else:
                self.send({"failed": "a summarizer was asked for something else"})

    def answer(self, document, content):
        try:
            return {"draft": summarize(document, *self.whole(document, content))}
        except Refused as why:
            return {"refused": str(why)}
        except MemoryError:
            return {"refused": "too large for the memory at hand"}
        except Exception as error:
            return {"failed": f"{type(error).__name__}: {error}"}

    def whole(self, document, content):
        """The document as far as it can be had, and what is to be said about the rest."""
        size, pieces, at = document.get("size", len(content)), [content], len(content)
        # What is no calendar is not worth further questions.
        while at < min(size, DOCUMENT_MOST) and is_calendar(content):
            piece = self.read(at, min(PIECE, DOCUMENT_MOST - at))
            if not piece:
                break
            pieces.append(piece)
            at += len(piece)
        return b"".join(pieces), [f"only {at} of {size} bytes were read"] if at < size else []


# --- The document ---------------------------------------------------------------------------------------------------


class Component:
    """What stands between BEGIN and END: the first value of each wanted property, by name."""

    def __init__(self, name):
        self.name, self.properties = name, {}

    def add(self, name, value):
        if name in WANTED:
            self.properties.setdefault(name, value)

    def raw(self, name):
        return self.properties.get(name, "").strip()

    def text(self, *names):
        """The first value that there is, with its escaped characters as they are meant."""
        value = next(filter(None, map(self.raw, names)), "")
        return re.sub(r"\\(.)", lambda escaped: "\n" if escaped[1] in "nN" else escaped[1], value).strip()

    def line(self, *names):
        return " ".join(self.text(*names).split())[:LINE_MOST]


def is_calendar(content):
    return content[:100].removeprefix(b"\xef\xbb\xbf").lstrip()[:15].upper() == b"BEGIN:VCALENDAR"


def read_calendar(content, charset):
    """The calendar, its events, and complaints."""
    if not is_calendar(content):
        raise Refused("does not begin with BEGIN:VCALENDAR")
    # Long lines go on behind a blank. They are joined as bytes, since they may be parted within a character.
    content = re.sub(rb"\r?\n[ \t]", b"", content.removeprefix(b"\xef\xbb\xbf"))
    text, complaints = decode(content, charset)
    calendar, events, stack, strange = Component("VCALENDAR"), [], [], 0
    for line in re.finditer(r"[^\r\n]+", text):
        parts = PROPERTY.match(line[0])
        if not parts:
            strange += 1
            continue
        name, value = parts[1].upper(), parts[2]
        if name == "BEGIN":
            stack.append(Component(value.strip().upper()))
        elif name == "END":
            ended = stack.pop() if stack else Component("")
            # Of an event that is within another one there is no saying what it belongs to.
            if ended.name == "VEVENT" and len(stack) <= 1:
                events.append(ended)
        elif len(stack) == 1:
            calendar.add(name, value)
        elif stack:
            stack[-1].add(name, value)
    if strange:
        complaints.append(f"{strange} lines are no properties")
    if any(component.name == "VEVENT" for component in stack):
        complaints.append("the last event is cut off")
    return calendar, events, complaints


def decode(content, charset):
    for name in ("utf-8", charset):
        try:
            return content.decode(name or "utf-8"), []
        except (LookupError, UnicodeError):
            continue
    return content.decode(errors="replace"), ["neither UTF-8 nor in the charset that is declared"]


def moment(value):
    """A date, or a date with its time; that has a zone only if the file says UTC. None if it is neither."""
    parts = MOMENT.match(value)
    try:
        day = date(int(parts[1]), int(parts[2]), int(parts[3]))
        if parts[4] is None:
            return day
        # A leap second is taken for the one before.
        clock = time(int(parts[4]), int(parts[5]), min(int(parts[6]), 59))
        return datetime.combine(day, clock, timezone.utc if parts[7] else None)
    except (TypeError, ValueError):
        return None


def order(when):
    """Dates and times made comparable. Without the zones of the world this is right to the day only."""
    return datetime.combine(when, time()) if not isinstance(when, datetime) else when.replace(tzinfo=None)


def last_of(event, start):
    """When an event takes place for the last time, as far as that can be told without counting days."""
    rule = event.raw("RRULE").upper()
    if not rule:
        return start
    until = re.search(r"(?:^|;)UNTIL=([^;]*)", rule)
    return moment(until[1]) if until else None


def shown(when):
    """As people read it: `2026-05-01`, `2026-05-01 10:00`."""
    if not isinstance(when, datetime):
        return when.isoformat()
    return f"{when.date().isoformat()} {when.time().isoformat('minutes')}{' UTC' if when.tzinfo else ''}"


def written(when):
    """As records have it: `2026-05-01`, `2026-05-01T10:00:00Z`."""
    return when.isoformat().replace("+00:00", "Z")


# --- The draft ------------------------------------------------------------------------------------------------------


def summarize(document, content, complaints):
    options = {option["name"]: option["value"] for option in document.get("options") or []}
    calendar, events, further = read_calendar(content, document.get("charset"))
    complaints = complaints + further
    dated = [(moment(event.raw("DTSTART")), event) for event in events]
    # Those without a date come last.
    dated.sort(key=lambda pair: order(pair[0]) if pair[0] else ENDLESS)
    if len(dated) > EVENTS_MOST:
        complaints.append(f"{len(dated) - EVENTS_MOST} more events are not listed")
    listed = dated[:EVENTS_MOST]
    schedule = [event_line(start, event) for start, event in listed]
    records = children(listed) if options.get("children", "true") == "true" else []
    if 0 < len(records) < len(listed):
        complaints.append(f"{len(listed) - len(records)} more events have no records of their own")
    values = [
        ("Title", calendar.line("X-WR-CALNAME", "NAME")),
        ("Description", calendar.text("X-WR-CALDESC", "DESCRIPTION")[:DESCRIPTION_MOST]),
        ("Time-Zone", calendar.line("X-WR-TIMEZONE", "TIMEZONE-ID")),
        ("Generator", calendar.line("PRODID")),
        ("Events", str(len(events))),
        *spans(dated, document.get("fetched")),
        ("Schedule", "\n".join(schedule)),
    ]
    return {
        "attributes": [{"name": name, "value": value} for name, value in values if value],
        "text": text_of(listed, schedule),
        "references": references([calendar, *(event for _, event in listed)]),
        "children": records,
        "complaints": complaints,
    }


def event_line(start, event):
    what = ", ".join(filter(None, [event.line("SUMMARY"), event.line("LOCATION")]))
    return " ".join(filter(None, [shown(start) if start else "", what, "(repeated)" if event.raw("RRULE") else ""]))


def spans(dated, fetched):
    """When the first, the last and, seen from the day of the visit, the next event begins. What is repeated makes the
    latter two a matter of rules that nobody here works out, so they are not said then."""
    starts = [start for start, _ in dated if start]
    if not starts:
        return
    yield "First-Event", written(starts[0])
    ends = [last_of(event, start) for start, event in dated if start]
    if None not in ends:
        yield "Last-Event", written(max(ends, key=order))
    if fetched is None:
        return
    now = datetime(1970, 1, 1) + timedelta(seconds=fetched)
    repeated = [end for (start, event), end in zip(((s, e) for s, e in dated if s), ends) if event.raw("RRULE")]
    if all(end and order(end) < now for end in repeated):
        following = [start for start in starts if order(start) >= now]
        yield from [("Next-Event", written(start)) for start in following[:1]]


def text_of(listed, schedule):
    paragraphs = []
    for (_, event), line in zip(listed, schedule):
        paragraphs.append("\n".join(filter(None, [line, event.text("DESCRIPTION")[:DESCRIPTION_MOST]])))
    return "\n\n".join(paragraphs)[:TEXT_MOST]


def references(components):
    found = {}
    for component in components:
        url = component.raw("URL")
        if url and not re.search(r"\s", url):
            found.setdefault(url, component.line("SUMMARY", "X-WR-CALNAME", "NAME"))
    return [{"url": url, "text": text, "follow": True} for url, text in found.items()]


def children(listed):
    taken, found, room = set(), [], 8 * TEXT_MOST
    for number, (start, event) in enumerate(listed, 1):
        content = story(start, event)
        room -= len(content)
        if room < 0:
            break
        child = {"name": child_name(number, event, taken), "kind": "Text", "content": content}
        changed = moment(event.raw("LAST-MODIFIED")) or moment(event.raw("DTSTAMP"))
        if isinstance(changed, datetime) and changed.tzinfo and changed.timestamp() >= 0:
            child["modified"] = int(changed.timestamp())
        found.append(child)
    return found


def child_name(number, event, taken):
    """A name that stays the same when other events come and go. Changes to one event of a series have the UID of the
    series."""
    parts = [event.raw("UID") or str(number), event.raw("RECURRENCE-ID")]
    base = "event-" + "-".join(re.sub(r"[^\w@.-]+", "-", part, flags=re.ASCII)[:100] for part in parts if part)
    name, count = base, 1
    while name in taken:
        count += 1
        name = f"{base}-{count}"
    taken.add(name)
    return f"{name}.txt"


def story(start, event):
    """One event as a small text."""
    end = moment(event.raw("DTEND"))
    when = " to ".join(shown(at) for at in (start, end) if at)
    parts = [event.line("SUMMARY"), when, event.line("LOCATION"), event.text("DESCRIPTION")[:DESCRIPTION_MOST]]
    return "\n".join(filter(None, [*parts, event.raw("URL")])) + "\n"


if __name__ == "__main__":
    Gatherer().serve()
