#!/usr/bin/env python3
"""A program that misbehaves by order. Whoever survives all of it can be let loose on the plugins of strangers.

What it does wrong is a word: in the first line of the document, as `FAULT: word`; else in the option `how`; else in its
first argument, which is the only place for faults that come with the hello. `FAULTS` and `HELLO_FAULTS` at the end list
the words. None of them goes on for ever where that would hurt the machine of whoever forgot to end it.
"""

import json
import os
import signal
import socket
import struct
import sys
import time

LONG = 600
KEPT = []
ORDER = sys.argv[1] if len(sys.argv) > 1 else "good"


# --- As it should be ------------------------------------------------------------------------------------------------


def receive():
    start = sys.stdin.buffer.read(12)
    if len(start) < 12:
        if ORDER == "linger":
            sleep()
        sys.exit(0)
    head, body, number = struct.unpack(">III", start)
    return number, json.loads(sys.stdin.buffer.read(head)), sys.stdin.buffer.read(body)


def write(data):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def send(number, message):
    head = json.dumps(message).encode()
    write(struct.pack(">III", len(head), 0, number) + head)


def hello(number, protocol="gatherer-plugin", version="0.1"):
    options = [{"name": "how", "about": "what it does wrong", "default": "good"}]
    about = {"name": "faulty-program", "version": "1.0.0", "kinds": ["Text"], "options": options}
    send(number, {"hello": {"protocol": protocol, "version": version, "description": about}})


def draft(title):
    return {"draft": {"attributes": [{"name": "Title", "value": title}], "text": "good and no more"}}


def good(number):
    send(number, draft("good"))


# --- As it should not be --------------------------------------------------------------------------------------------


def spin(number=0):
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        pass


def sleep(number=0):
    time.sleep(LONG)


def allocate(number):
    """4 GiB that are really used. An answer behind that means that nobody has stopped it."""
    for _ in range(64):
        KEPT.append(b"x" * (64 << 20))
    send(number, draft(f"took {sum(map(len, KEPT))} bytes"))


def flood(number):
    while True:
        send(number, {"log": {"level": "info", "text": "and another thing " * 50}})


def flood_answer(number):
    """Less than a message may have, and far more than an answer."""
    send(number, draft("x" * (48 << 20)))


def flood_stderr(number):
    while True:
        sys.stderr.write("and another thing\n" * 1000)


def crash(number):
    os.abort()


def leave(number):
    sys.stderr.write("these are its last words\n")
    sys.exit(7)


def garbage(number):
    write(b"<html>this is no message</html>\n" * 4)


def half_frame(number):
    write(struct.pack(">III", 1000, 0, number) + b'{"draft": {"attrib')
    sleep()


def lie_length(number):
    """As many bytes as a message may have; a few of them come."""
    write(struct.pack(">III", 60 << 20, 0, number) + b'{"refused": "short"}')


def lie_more(number):
    """More bytes than a message may have."""
    write(struct.pack(">III", 0xFFFFFFFF, 0, number) + b'{"refused": "short"}')


def lie_body(number):
    """A body, which no program has to send."""
    write(struct.pack(">III", 15, 5, number) + b'{"refused": ""}12345')


def not_json(number):
    head = b'{"draft": {"attributes": [}'
    write(struct.pack(">III", len(head), 0, number) + head)


def not_utf8(number):
    head = b'{"refused": "\xff\xfe\xc3"}'
    write(struct.pack(">III", len(head), 0, number) + head)


def deep_json(number):
    head = b'{"draft": {"later": ' + b"[" * 200_000 + b"]" * 200_000 + b"}}"
    write(struct.pack(">III", len(head), 0, number) + head)


def two_members(number):
    send(number, {"refused": "", "failed": ""})


def strange(number):
    """Well-formed, but no value is as it should be."""
    names = ["", " ", "a b", "a\nb{3}", "MD5", "Type", "ä", "x" * 100_000, "Title"]
    values = ["", "\0\x1b[31m", {"base64": "/////w=="}, "line\nline\n}"]
    attributes = [{"name": name, "value": value, "weight": -1e308} for name in names for value in values]
    references = [{"url": url, "text": "\n"} for url in ("", "http://[", "javascript:x", "//", "\0", "x" * 100_000)]
    paths = ["", "/etc/passwd", "../../x", "\0", "a" * 9999]
    children = [{"name": path, "kind": "\n", "content": "x"} for path in paths]
    answer = {"attributes": attributes, "references": references, "canonical": ":", "children": children}
    send(number, {"draft": answer})


def not_base64(number):
    send(number, draft({"base64": "***"}))


def nothing(number):
    send(number, {"draft": {}})


def wrong_answer(number):
    send(number, {"urls": ["http://example.org/"]})


def unknown_message(number):
    send(number, {"dance": {}})


def ask_forever(number):
    while True:
        send(number, {"read": {"offset": 0, "length": 1}})
        receive()


def fork(number):
    """Ends, and leaves a child that holds its ends of the pipes."""
    if os.fork() == 0:
        sleep()
    os._exit(0)


def fork_away(number):
    """The same, but the child has left the group and the session."""
    if os.fork() == 0:
        try:
            os.setsid()
        except PermissionError:
            pass  # The sandbox keeps it in its group.
        sleep()
    os._exit(0)


def ignore_term(number):
    for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(name, signal.SIG_IGN)
    spin()


def answer_twice(number):
    good(number)
    send(number, draft("good again"))


def answer_early(number):
    """Has the answer to the next question ready before that is asked."""
    good(number)
    send(number + 1, draft("early"))


def wrong_number(number):
    send(number + 1, draft("of another document"))


def refuse(number):
    send(number, {"refused": "refused by order"})


def fail(number):
    send(number, {"failed": "failed by order"})


def close_stdin(number):
    os.close(0)
    good(number)
    sleep()


def close_stdout(number):
    os.close(1)
    sleep()


def leak_fds(number):
    """A thousand more open files with each document, until there are no more."""
    for _ in range(1000):
        KEPT.append(open(os.devnull, "rb"))
    good(number)


def attempt(number, deed):
    """Tries what the sandbox forbids; the title says what came of it."""
    try:
        deed()
        send(number, draft("it was let"))
    except OSError:
        send(number, draft("it was kept"))


def connect(number):
    attempt(number, lambda: socket.socket().close())


def write_outside(number):
    def deed():
        place = f"/tmp/gatherer-faulty-{os.getpid()}"
        open(place, "w").close()
        os.remove(place)

    attempt(number, deed)


def write_scratch(number):
    def deed():
        with open(os.path.join(os.environ["TMPDIR"], "notes"), "w") as notes:
            notes.write("as it may")

    attempt(number, deed)


def environment(number):
    send(number, draft(" ".join(sorted(os.environ))))


# Words for what goes wrong with a document.
FAULTS = {
    "good": good,
    "spin": spin,
    "sleep": sleep,
    "allocate": allocate,
    "flood": flood,
    "flood-answer": flood_answer,
    "flood-stderr": flood_stderr,
    "crash": crash,
    "exit": leave,
    "garbage": garbage,
    "half-frame": half_frame,
    "lie-length": lie_length,
    "lie-more": lie_more,
    "lie-body": lie_body,
    "not-json": not_json,
    "not-utf8": not_utf8,
    "deep-json": deep_json,
    "two-members": two_members,
    "strange": strange,
    "not-base64": not_base64,
    "nothing": nothing,
    "wrong-answer": wrong_answer,
    "unknown-message": unknown_message,
    "ask-forever": ask_forever,
    "fork": fork,
    "fork-away": fork_away,
    "ignore-term": ignore_term,
    "connect": connect,
    "write-outside": write_outside,
    "write-scratch": write_scratch,
    "environment": environment,
    "answer-twice": answer_twice,
    "answer-early": answer_early,
    "wrong-number": wrong_number,
    "refuse": refuse,
    "fail": fail,
    "close-stdin": close_stdin,
    "close-stdout": close_stdout,
    "leak-fds": leak_fds,
}


def hello_and_answer(number):
    hello(number)
    answer_early(number + 1)


# Words for what goes wrong with the hello; as arguments only. `linger` does not end when standard input is closed, and
# `die-before-hello` does not even read.
HELLO_FAULTS = {
    "wrong-version": lambda number: hello(number, version="9.0"),
    "wrong-protocol": lambda number: hello(number, protocol="other-plugin"),
    "answer-early": hello_and_answer,
    "hello-garbage": garbage,
    "hello-sleep": sleep,
    "hello-exit": leave,
    "hello-twice": lambda number: (hello(number), hello(number)),
}


def word(document, body):
    """What is to go wrong."""
    first = body.split(b"\n", 1)[0]
    if first.startswith(b"FAULT:"):
        return first[6:].strip().decode(errors="replace")
    how = next((option["value"] for option in document.get("options") or [] if option["name"] == "how"), "good")
    return how if how != "good" else ORDER


def main():
    if ORDER == "die-before-hello":
        sys.stderr.write("it would rather not\n")
        sys.exit(1)
    while True:
        number, message, body = receive()
        if "hello" in message:
            HELLO_FAULTS.get(ORDER, hello)(number)
            continue
        what = word(message.get("summarize") or {}, body)
        # What went wrong with the hello is over.
        what = "good" if what in HELLO_FAULTS and what not in FAULTS or what == "linger" else what
        if what in FAULTS:
            FAULTS[what](number)
        else:
            send(number, {"failed": f"there is no fault {what}"})


if __name__ == "__main__":
    main()
