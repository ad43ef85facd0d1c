/* Summarizes standard MIDI files: form, tracks, tempo, metre, length, names and the words among the notes.
 *
 * A file is a head and tracks, each a chunk with a name of four letters and a length; a track is a row of events, each
 * behind the time since the one before. Nothing that a file says of itself is believed: every read goes through `take`,
 * and a track that breaks off gives what came before.
 */
#include "gatherer-plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most bytes of a file that are looked at, and of one kind of words that are kept. */
#define BODY_MOST ((size_t)16 << 20)
#define WORDS_MOST ((size_t)1 << 20)
#define TEMPOS_MOST 65536
/* Most broken tracks that are named one by one. */
#define NAMED_MOST 10
/* Microseconds of a quarter note where nobody says anything: 120 beats a minute. */
#define TEMPO_UNSAID 500000


typedef struct slice {
    const unsigned char *data;
    size_t length;
} slice;

typedef struct words {
    char *data;
    size_t length;
    size_t room;
} words;

/* From this time on, counted in ticks since the beginning, a quarter note takes so many microseconds. */
typedef struct tempo {
    uint64_t tick;
    uint32_t number;
    uint32_t quarter;
} tempo;

struct song {
    const gatherer_host *host;
    unsigned format, promised, division;
    unsigned tracks, broken;
    uint32_t first_tempo;
    unsigned beats, beat_exponent;
    double seconds;
    tempo *tempos;
    uint32_t tempo_count;
    words title, names, instruments, copyright, remarks, lyrics;
    /* Karaoke files have their lyrics in text events, and say so in one. */
    int is_karaoke;
    int out_of_memory;
};

/* ---- Reading ---- */

static int take(slice *from, size_t count, slice *taken) {
    if (count > from->length) return 0;
    *taken = (slice){from->data, count};
    from->data += count;
    from->length -= count;
    return 1;
}

static int take_byte(slice *from, unsigned *byte) {
    slice taken;
    if (!take(from, 1, &taken)) return 0;
    *byte = taken.data[0];
    return 1;
}

/* The highest byte first. */
static int take_number(slice *from, size_t size, uint32_t *number) {
    slice taken;
    if (!take(from, size, &taken)) return 0;
    *number = 0;
    for (size_t place = 0; place < size; place++) *number = *number << 8 | taken.data[place];
    return 1;
}

/* Seven bits a byte, the last one without the eighth; four bytes at most. */
static int take_variable(slice *from, uint32_t *number) {
    *number = 0;
    for (int place = 0; place < 4; place++) {
        unsigned byte;
        if (!take_byte(from, &byte)) return 0;
        *number = *number << 7 | (byte & 0x7f);
        if (byte < 0x80) return 1;
    }
    return 0;
}

/* ---- Words ---- */

static void put(struct song *song, words *to, char byte) {
    if (to->length == WORDS_MOST || song->out_of_memory) return;
    if (to->length == to->room) {
        size_t room = to->room == 0 ? 256 : to->room * 2;
        char *data = realloc(to->data, room);
        if (data == NULL) {
            song->out_of_memory = 1;
            return;
        }
        to->data = data;
        to->room = room;
    }
    to->data[to->length++] = byte;
}

static int is_utf8(slice text) {
    while (text.length != 0) {
        unsigned char first = text.data[0];
        size_t size = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
        slice character;
        if (size == 0 || !take(&text, size, &character)) return 0;
        for (size_t place = 1; place < size; place++)
            if ((character.data[place] & 0xc0) != 0x80) return 0;
        if (first == 0xe0 && character.data[1] < 0xa0) return 0;
        if (first == 0xed && character.data[1] > 0x9f) return 0;
        if (first == 0xf0 && character.data[1] < 0x90) return 0;
        if (first == 0xf4 && character.data[1] > 0x8f) return 0;
    }
    return 1;
}

/* The standard knows no charset: what is not UTF-8 is taken as Latin-1. Whole characters or none at the limit. */
static void put_text(struct song *song, words *to, slice text, char line_end) {
    int as_is = is_utf8(text);
    if (to->length > WORDS_MOST - 2 || text.length * 2 > WORDS_MOST - 2 - to->length) return;
    for (size_t place = 0; place < text.length; place++) {
        unsigned char byte = text.data[place];
        if (byte == '\r' || byte == '\n') {
            put(song, to, line_end);
        } else if (byte < 0x20 || byte == 0x7f) {
            put(song, to, ' ');
        } else if (byte < 0x80 || as_is) {
            put(song, to, (char)byte);
        } else {
            put(song, to, (char)(0xc0 | byte >> 6));
            put(song, to, (char)(0x80 | (byte & 0x3f)));
        }
    }
}

static void put_line(struct song *song, words *to, slice text) {
    if (text.length == 0) return;
    if (to->length != 0) put(song, to, '\n');
    put_text(song, to, text, ' ');
}

/* Lyrics come by syllables with their own spaces; a slash at the beginning of one, or a line break, begins a line. */
static void put_syllable(struct song *song, slice text) {
    if (text.length != 0 && (text.data[0] == '/' || text.data[0] == '\\')) {
        put(song, &song->lyrics, '\n');
        text = (slice){text.data + 1, text.length - 1};
    }
    put_text(song, &song->lyrics, text, '\n');
}

/* ---- Events ---- */

static int begins(slice text, const char *with) {
    size_t length = strlen(with);
    return text.length >= length && memcmp(text.data, with, length) == 0;
}

static void text_event(struct song *song, slice text) {
    if (begins(text, "@T")) {
        text = (slice){text.data + 2, text.length - 2};
        put_line(song, song->title.length == 0 ? &song->title : &song->remarks, text);
    } else if (begins(text, "@K")) {
        song->is_karaoke = 1;
    } else if (song->is_karaoke && !begins(text, "@")) {
        put_syllable(song, text);
    } else if (!song->is_karaoke) {
        put_line(song, &song->remarks, text);
    }
}

static void tempo_event(struct song *song, uint64_t tick, uint32_t quarter) {
    if (quarter == 0) return;
    if (song->first_tempo == 0) song->first_tempo = quarter;
    if (song->tempo_count == TEMPOS_MOST) return;
    song->tempos[song->tempo_count] = (tempo){tick, song->tempo_count, quarter};
    song->tempo_count++;
}

static void meta_event(struct song *song, uint64_t tick, unsigned kind, slice content) {
    uint32_t number;
    switch (kind) {
    case 0x01: text_event(song, content); break;
    case 0x02: put_line(song, &song->copyright, content); break;
    case 0x03:
        /* The first track's name is that of the song. */
        if (song->tracks == 1 && song->title.length == 0) put_line(song, &song->title, content);
        else put_line(song, &song->names, content);
        break;
    case 0x04: put_line(song, &song->instruments, content); break;
    case 0x05: put_syllable(song, content); break;
    case 0x06:
    case 0x07: put_line(song, &song->remarks, content); break;
    case 0x51:
        if (take_number(&content, 3, &number)) tempo_event(song, tick, number);
        break;
    case 0x58:
        if (song->beats == 0 && content.length >= 2 && content.data[1] <= 6) {
            song->beats = content.data[0];
            song->beat_exponent = content.data[1];
        }
        break;
    }
}

/* Whether the track ended as it should; `tick` is when it did. */
static int track_events(struct song *song, slice track, uint64_t *tick) {
    unsigned running = 0;
    while (track.length != 0) {
        uint32_t wait, length;
        unsigned first, kind;
        slice content;
        if (!take_variable(&track, &wait) || !take_byte(&track, &first)) return 0;
        if (first == 0xff) {
            if (!take_byte(&track, &kind) || !take_variable(&track, &length)) return 0;
            if (!take(&track, length, &content)) return 0;
            *tick += wait;
            if (kind == 0x2f) return 1;
            meta_event(song, *tick, kind, content);
        } else if (first == 0xf0 || first == 0xf7) {
            if (!take_variable(&track, &length) || !take(&track, length, &content)) return 0;
            *tick += wait;
        } else if (first > 0xf0 || (first < 0x80 && running == 0)) {
            return 0;
        } else {
            /* A note may leave out its kind if that is the last one's; `first` then is the first of its values. */
            size_t values = first < 0x80 ? 0 : 1;
            if (first >= 0x80) running = first;
            if ((running & 0xe0) != 0xc0) values++;
            if (!take(&track, values, &content)) return 0;
            *tick += wait;
        }
    }
    return 0;
}

/* ---- Time ---- */

static int earlier(const void *one, const void *other) {
    const tempo *a = one, *b = other;
    if (a->tick != b->tick) return a->tick < b->tick ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* How long so many ticks take with the tempos found since this was last asked. */
static double seconds_of(struct song *song, uint64_t ticks) {
    if (song->division & 0x8000) {
        unsigned frames = 256 - (song->division >> 8), ticks_a_frame = song->division & 0xff;
        double a_second = (frames == 29 ? 29.97 : frames) * ticks_a_frame;
        return ticks_a_frame == 0 ? 0 : (double)ticks / a_second;
    }
    if (song->division == 0) return 0;
    qsort(song->tempos, song->tempo_count, sizeof(tempo), earlier);
    double quarters = 0;
    uint64_t tick = 0;
    uint32_t quarter = TEMPO_UNSAID;
    for (uint32_t place = 0; place < song->tempo_count && song->tempos[place].tick < ticks; place++) {
        quarters += (double)(song->tempos[place].tick - tick) * quarter;
        tick = song->tempos[place].tick;
        quarter = song->tempos[place].quarter;
    }
    quarters += (double)(ticks - tick) * quarter;
    song->tempo_count = 0;
    return quarters / song->division / 1e6;
}

/* ---- The file ---- */

static void complain(struct song *song, const char *text) {
    song->host->complaint(song->host, (gatherer_bytes){text, strlen(text)});
}

static int head(struct song *song, slice *body) {
    slice name, content;
    uint32_t length, format, tracks, division;
    if (!begins(*body, "MThd") || !take(body, 4, &name)) return 0;
    if (!take_number(body, 4, &length) || !take(body, length, &content)) return 0;
    if (!take_number(&content, 2, &format) || !take_number(&content, 2, &tracks)) return 0;
    if (!take_number(&content, 2, &division)) return 0;
    song->format = format;
    song->promised = tracks;
    song->division = division;
    return 1;
}

static void tracks(struct song *song, slice body) {
    slice name, track;
    uint32_t length;
    uint64_t longest = 0;
    while (take(&body, 4, &name) && take_number(&body, 4, &length)) {
        take(&body, length < body.length ? length : body.length, &track);
        if (!begins(name, "MTrk")) continue;
        uint64_t tick = 0;
        song->tracks++;
        if (!track_events(song, track, &tick) && ++song->broken <= NAMED_MOST) {
            char text[64];
            snprintf(text, sizeof text, "track %u breaks off", song->tracks);
            complain(song, text);
        }
        /* In the third form each track is a song of its own, in the other two they sound together. */
        if (song->format == 2) song->seconds += seconds_of(song, tick);
        else if (tick > longest) longest = tick;
    }
    if (song->format != 2) song->seconds = seconds_of(song, longest);
}

static void give(struct song *song, gatherer_bytes name, const char *value, size_t length) {
    gatherer_attribute attribute = {.name = name, .value = {value, length}};
    if (length != 0) song->host->attribute(song->host, &attribute);
}

static void give_words(struct song *song, gatherer_bytes name, const words *value) {
    give(song, name, value->data, value->length);
}

/* `12`, or `12.5`: a number of so many parts of one. */
static void give_number(struct song *song, gatherer_bytes name, uint64_t number, unsigned parts) {
    char text[48];
    unsigned long long whole = number / parts;
    unsigned part = (unsigned)(number % parts);
    int digits = parts == 1 ? 0 : parts == 10 ? 1 : 2;
    for (; digits > 0 && part % 10 == 0; digits--) part /= 10;
    int length = digits == 0 ? snprintf(text, sizeof text, "%llu", whole)
                             : snprintf(text, sizeof text, "%llu.%0*u", whole, digits, part);
    give(song, name, text, (size_t)length);
}

static void give_findings(struct song *song) {
    char metre[32];
    give_number(song, GATHERER_BYTES("Format"), song->format, 1);
    give_number(song, GATHERER_BYTES("Tracks"), song->tracks, 1);
    if (song->first_tempo != 0) {
        uint64_t hundredths = (UINT64_C(6000000000) + song->first_tempo / 2) / song->first_tempo;
        give_number(song, GATHERER_BYTES("Tempo"), hundredths, 100);
    }
    if (song->beats != 0) {
        int length = snprintf(metre, sizeof metre, "%u/%u", song->beats, 1U << song->beat_exponent);
        give(song, GATHERER_BYTES("Time-Signature"), metre, (size_t)length);
    }
    if (song->seconds > 0) give_number(song, GATHERER_BYTES("Duration"), (uint64_t)(song->seconds * 10 + 0.5), 10);
    give_words(song, GATHERER_BYTES("Title"), &song->title);
    give_words(song, GATHERER_BYTES("Track-Names"), &song->names);
    give_words(song, GATHERER_BYTES("Instruments"), &song->instruments);
    give_words(song, GATHERER_BYTES("Copyright"), &song->copyright);
    char text[80];
    if (song->broken > NAMED_MOST) {
        snprintf(text, sizeof text, "so many more tracks break off: %u", song->broken - NAMED_MOST);
        complain(song, text);
    }
    if (song->tracks != song->promised) {
        snprintf(text, sizeof text, "its head promises %u tracks, there are %u", song->promised, song->tracks);
        complain(song, text);
    }
}

static void give_text(struct song *song) {
    words *text = &song->remarks;
    if (song->lyrics.length != 0) {
        slice lyrics = {(unsigned char *)song->lyrics.data, song->lyrics.length};
        size_t room = text->length + lyrics.length + 1;
        char *data = realloc(text->data, room);
        if (data == NULL) {
            song->out_of_memory = 1;
            return;
        }
        *text = (words){data, text->length, room};
        if (text->length != 0) data[text->length++] = '\n';
        memcpy(data + text->length, lyrics.data, lyrics.length);
        text->length += lyrics.length;
    }
    if (text->length != 0) song->host->text(song->host, (gatherer_bytes){text->data, text->length});
}

static int fail(const gatherer_host *host) {
    host->reason(host, GATHERER_BYTES("there is not memory enough"));
    return GATHERER_FAILED;
}

static int summarize_body(slice body, const gatherer_host *host) {
    struct song song = {.host = host};
    if (!head(&song, &body)) {
        host->reason(host, GATHERER_BYTES("does not begin with the head of a MIDI file"));
        return GATHERER_REFUSED;
    }
    song.tempos = malloc(TEMPOS_MOST * sizeof(tempo));
    if (song.tempos == NULL) return fail(host);
    tracks(&song, body);
    give_findings(&song);
    give_text(&song);
    free(song.tempos);
    free(song.title.data);
    free(song.names.data);
    free(song.instruments.data);
    free(song.copyright.data);
    free(song.remarks.data);
    free(song.lyrics.data);
    return song.out_of_memory ? fail(host) : GATHERER_DONE;
}

static int summarize(const gatherer_document *document, gatherer_bytes content, const gatherer_host *host) {
    slice body = {(const unsigned char *)content.data, content.length};
    if (document->size <= content.length || content.length >= BODY_MOST) return summarize_body(body, host);
    size_t size = document->size < BODY_MOST ? (size_t)document->size : BODY_MOST;
    unsigned char *memory = malloc(size);
    if (memory == NULL) return fail(host);
    if (content.length != 0) memcpy(memory, content.data, content.length);
    size_t have = content.length;
    while (have < size) {
        size_t more = host->read(host, have, memory + have, size - have);
        if (more == 0 || more > size - have) break;
        have += more;
    }
    if (have < document->size) host->complaint(host, GATHERER_BYTES("only its beginning was read"));
    int end = summarize_body((slice){memory, have}, host);
    free(memory);
    return end;
}

static const gatherer_bytes KINDS[] = {GATHERER_TEXT("MIDI")};

static const gatherer_plugin_table TABLE = {
    .contract = GATHERER_CONTRACT,
    .size = sizeof(gatherer_plugin_table),
    .name = GATHERER_TEXT("midi"),
    .version = GATHERER_TEXT("1.0.0"),
    .kinds = KINDS,
    .kind_count = sizeof KINDS / sizeof KINDS[0],
    .summarize = summarize,
};

const gatherer_plugin_table *gatherer_plugin(uint32_t contract) {
    return contract == GATHERER_CONTRACT ? &TABLE : NULL;
}
