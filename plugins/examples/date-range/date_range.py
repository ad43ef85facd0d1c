#!/usr/bin/env python3
"""Names one URL for each day between two dates: an enumerator that speaks schemas/summarizer/since-0.1/messages.md.

The days are those that the operator names, never today: the same options give the same URLs. Which of them are there is
for the gatherer to find out.
"""

import json
import re
import struct
import sys
from datetime import date, timedelta
from urllib.parse import urljoin

ABOUT = {
    "name": "date-range",
    "version": "1.0.0",
    "kinds": [],
    "options": [
        {
            "name": "pattern",
            "about": "a URL with %Y, %m, %d, %y (two digits) or %j (day of the year); %% is a percent sign. "
            "May be relative to the root node",
        },
        {"name": "first", "about": "the first day, such as 2026-01-31; not needed beside last and days"},
        {"name": "last", "about": "the last day; not needed beside first and days"},
        {"name": "days", "about": "how many days, where the first or the last one is not said"},
    ],
}

# What the gatherer is given at most, whatever it would take: an answer has to fit into one message.
BYTES_MOST = 16 * 1024 * 1024
PATTERN_MOST = 2000
# Four centuries.
DAYS_MOST = 146_097

# Written out, because what strftime makes of them differs from system to system. What else stands behind a percent sign
# is part of the URL.
PLACES = {
    "%Y": lambda day: f"{day.year:04}",
    "%y": lambda day: f"{day.year % 100:02}",
    "%m": lambda day: f"{day.month:02}",
    "%d": lambda day: f"{day.day:02}",
    "%j": lambda day: f"{day.timetuple().tm_yday:03}",
    "%%": lambda day: "%",
}
PLACE = re.compile("|".join(PLACES))


class Refused(Exception):
    """The options do not make sense."""


def enumerate_days(root, warn):
    """The URLs of a root node, each once, as many as it may have."""
    options = {option["name"]: option["value"].strip() for option in root.get("options") or []}
    pattern = options.get("pattern", "")
    if not pattern or len(pattern) > PATTERN_MOST:
        raise Refused(f"the option pattern must have 1 to {PATTERN_MOST} characters")
    first, last = days(options)
    # Percent signs of the root node's own URL are part of it.
    base = next(iter(root.get("urls") or []), "").replace("%", "%%")
    try:
        pattern = urljoin(base, pattern)
    except ValueError:
        raise Refused("the option pattern is no URL")
    url_max, room, urls = root.get("url-max", sys.maxsize), BYTES_MOST, {}
    for number in range(first.toordinal(), last.toordinal() + 1):
        day = date.fromordinal(number)
        url = PLACE.sub(lambda place: PLACES[place[0]](day), pattern)
        if url in urls:
            continue
        room -= len(url) + 4
        if len(urls) >= url_max or room < 0:
            warn(f"stopped before {day}: {len(urls)} URLs are all that there may be")
            break
        urls[url] = None
    return list(urls)


def days(options):
    """The first and the last day, both of which count."""
    first, last = (parse_day(options, name) for name in ("first", "last"))
    if not (first and last):
        count = options.get("days", "")
        if not (first or last) or not re.fullmatch("[0-9]{1,7}", count) or not int(count):
            raise Refused("two of the options first, last and days must be set, days to a number above 0")
        span = timedelta(days=int(count) - 1)
        try:
            first, last = first or last - span, last or first + span
        except OverflowError:
            raise Refused("the option days leads out of the years 1 to 9999")
    if first > last:
        raise Refused(f"first, {first}, comes after last, {last}")
    if (last - first).days >= DAYS_MOST:
        raise Refused(f"from {first} to {last} are more than {DAYS_MOST} days")
    return first, last


def parse_day(options, name):
    value = options.get(name, "")
    if not value:
        return None
    try:
        if not re.fullmatch(r"\d{4}-\d\d-\d\d", value, re.ASCII):
            raise ValueError
        return date.fromisoformat(value)
    except ValueError:
        raise Refused(f"the option {name} is no date such as 2026-01-31: {value[:40]}")


def receive():
    """The next question and its number, which all that is said to it repeats."""
    start = sys.stdin.buffer.read(12)
    if len(start) < 12:
        sys.exit(0)
    head, body, number = struct.unpack(">III", start)
    message = json.loads(sys.stdin.buffer.read(head))
    sys.stdin.buffer.read(body)
    return number, message


def send(number, message):
    head = json.dumps(message).encode()
    sys.stdout.buffer.write(struct.pack(">III", len(head), 0, number) + head)
    sys.stdout.buffer.flush()


def answer(root, number, features):
    def warn(text):
        if "log" in features:
            send(number, {"log": {"level": "warn", "text": text}})

    try:
        return {"urls": enumerate_days(root, warn)}
    except Refused as why:
        return {"refused": str(why)}
    except Exception as error:
        return {"failed": f"{type(error).__name__}: {error}"}


def serve():
    """Answers until standard input is closed."""
    features = []
    while True:
        number, message = receive()
        if "hello" in message:
            features = message["hello"].get("features") or []
            send(number, {"hello": {"protocol": "gatherer-plugin", "version": "0.1", "description": ABOUT}})
        elif "enumerate" in message:
            send(number, answer(message["enumerate"], number, features))
        else:
            send(number, {"failed": "an enumerator was asked for something else"})


if __name__ == "__main__":
    serve()
