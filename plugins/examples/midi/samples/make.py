"""Makes the samples beside this file: a song for two hands with words, and one that was cut while it was fetched."""

import pathlib
import struct


def variable(number):
    """Seven bits a byte, the last one without the eighth."""
    septets = [number & 0x7F]
    while number := number >> 7:
        septets.insert(0, number & 0x7F | 0x80)
    return bytes(septets)


def meta(wait, kind, content):
    return variable(wait) + bytes([0xFF, kind]) + variable(len(content)) + content


def named(kind):
    return lambda text, wait=0, charset="utf-8": meta(wait, kind, text.encode(charset))


text, copyright_, name, instrument, lyric, marker = (named(kind) for kind in range(1, 7))


def tempo(beats, wait=0):
    return meta(wait, 0x51, (60_000_000 // beats).to_bytes(3, "big"))


def metre(beats, exponent):
    return meta(0, 0x58, bytes([beats, exponent, 24, 8]))


def notes(*pitches, wait=480):
    """Each is held for `wait`. Only the first says what it is: that the others are notes too is understood."""
    events = b""
    for place, pitch in enumerate(pitches):
        events += variable(0) + (b"\x90" if place == 0 else b"") + bytes([pitch, 80])
        events += variable(wait) + bytes([pitch, 0])
    return events


def track(*events):
    content = b"".join(events) + meta(0, 0x2F, b"")
    return b"MTrk" + struct.pack(">I", len(content)) + content


def song(form, *chunks):
    tracks = sum(chunk.startswith(b"MTrk") for chunk in chunks)
    return b"MThd" + struct.pack(">IHHH", 6, form, tracks, 480) + b"".join(chunks)


# Six quarters at 100 beats a minute, three at 50: 3.6 and 3.6 seconds.
corn = song(
    1,
    track(name("Corn Song"), copyright_("Free to use"), metre(3, 2), tempo(100), text("For two hands"), tempo(50, 6 * 480)),
    track(name("Right"), instrument("Flute"), lyric("Corn "), notes(60, 62, 64), lyric("is "), notes(65, 64, 62),
          lyric("tall\r"), notes(60, 60, 60)),
    track(name("Left"), marker("Refrain", charset="latin-1"), notes(48, 48, 48, wait=960)),
)
# A chunk that no standard knows, then a name in Latin-1. What is left holds one whole quarter at 90 beats a minute.
rain = song(0, b"XFIH" + struct.pack(">I", 3) + b"new", track(
    name("Regenlied für Ännchen", charset="latin-1"), metre(6, 3), tempo(90), b"\x00\xf0\x03\x7e\x7f\xf7",
    b"\x00\xc0\x0c", notes(55, 57, 59), text("the end")))

samples = pathlib.Path(__file__).parent
(samples / "corn-song.mid").write_bytes(corn)
(samples / "cut.midi").write_bytes(rain[:-24])
