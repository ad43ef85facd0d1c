/* Summarizes subtitles: how many cues, how long, in which language, and what is said.
 *
 * SubRip and WebVTT (https://www.w3.org/TR/webvtt1/) are both blocks of lines with empty lines between: a name or
 * number, the times, the words. One lenient reader takes both; what it could not read is complained of and left out.
 */
#include "gatherer-plugin.h"

#include <stdlib.h>
#include <string.h>

/* Two hours of talk are 100 KiB. */
#define BODY_MOST ((size_t)4 << 20)
/* Most broken cues that are named one by one. */
#define NAMED_MOST 10
/* No tag is longer. Without an end to the search, a file of nothing but `<a` would take hours. */
#define TAG_MOST 500


typedef struct subtitles {
    const gatherer_host *host;
    /* What is not yet read, and the number of its first line. */
    gatherer_bytes rest;
    uint64_t line;
    uint64_t cues, broken;
    /* When the last cue ends, in milliseconds. */
    uint64_t end;
    gatherer_bytes language;
    /* What is said so far. Never longer than what was read. */
    char *text;
    size_t length;
    /* Where the last line of it begins. */
    size_t last;
} subtitles;

/* ---- Words for people ---- */

struct words {
    char bytes[200];
    size_t length;
};

static void add(struct words *to, gatherer_bytes bytes) {
    size_t room = sizeof to->bytes - to->length;
    if (bytes.length > room) bytes.length = room;
    if (bytes.length != 0) memcpy(to->bytes + to->length, bytes.data, bytes.length);
    to->length += bytes.length;
}

/* At least so many digits. */
static void add_number(struct words *to, uint64_t number, size_t least) {
    char digits[20];
    size_t place = sizeof digits;
    do {
        digits[--place] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0 || sizeof digits - place < least);
    add(to, (gatherer_bytes){digits + place, sizeof digits - place});
}

static gatherer_bytes said(const struct words *words) {
    return (gatherer_bytes){words->bytes, words->length};
}

static void broken(subtitles *in, uint64_t line, gatherer_bytes what) {
    if (++in->broken > NAMED_MOST) return;
    struct words words = {.length = 0};
    add(&words, GATHERER_BYTES("line "));
    add_number(&words, line, 1);
    add(&words, GATHERER_BYTES(": "));
    add(&words, what);
    in->host->complaint(in->host, said(&words));
}

static void give(subtitles *in, gatherer_bytes name, gatherer_bytes value) {
    gatherer_attribute attribute = {.name = name, .value = value};
    in->host->attribute(in->host, &attribute);
}

/* ---- Lines ---- */

static int begins(gatherer_bytes bytes, gatherer_bytes with) {
    return bytes.length >= with.length && memcmp(bytes.data, with.data, with.length) == 0;
}

static int is_blank(char byte) {
    return byte == ' ' || byte == '\t' || byte == '\f';
}

static void skip(gatherer_bytes *bytes, size_t count) {
    bytes->data += count;
    bytes->length -= count;
}

static gatherer_bytes trimmed(gatherer_bytes bytes) {
    while (bytes.length != 0 && is_blank(bytes.data[0])) skip(&bytes, 1);
    while (bytes.length != 0 && is_blank(bytes.data[bytes.length - 1])) bytes.length--;
    return bytes;
}

/* The first line, trimmed; `after` is what comes behind its end. */
static gatherer_bytes first_line(gatherer_bytes bytes, gatherer_bytes *after) {
    size_t end = 0;
    while (end < bytes.length && bytes.data[end] != '\n' && bytes.data[end] != '\r') end++;
    *after = (gatherer_bytes){bytes.data + end, bytes.length - end};
    if (after->length != 0) skip(after, begins(*after, GATHERER_BYTES("\r\n")) ? 2 : 1);
    return trimmed((gatherer_bytes){bytes.data, end});
}

static gatherer_bytes line_here(const subtitles *in) {
    gatherer_bytes after;
    return first_line(in->rest, &after);
}

static gatherer_bytes line_behind(const subtitles *in) {
    gatherer_bytes after;
    first_line(in->rest, &after);
    return first_line(after, &after);
}

static void next_line(subtitles *in) {
    first_line(in->rest, &in->rest);
    in->line++;
}

static int in_block(const subtitles *in) {
    return in->rest.length != 0 && line_here(in).length != 0;
}

static void skip_block(subtitles *in) {
    while (in_block(in)) next_line(in);
}

/* ---- Times ---- */

static int has_arrow(gatherer_bytes line) {
    for (; line.length >= 3; skip(&line, 1))
        if (begins(line, GATHERER_BYTES("-->"))) return 1;
    return 0;
}

static int is_digit(gatherer_bytes bytes) {
    return bytes.length != 0 && bytes.data[0] >= '0' && bytes.data[0] <= '9';
}

/* How many digits there were, up to six: more are no time. */
static size_t take_number(gatherer_bytes *from, uint64_t *number) {
    size_t digits = 0;
    for (*number = 0; is_digit(*from) && digits < 6; digits++) {
        *number = *number * 10 + (uint64_t)(from->data[0] - '0');
        skip(from, 1);
    }
    return digits;
}

/* `1:02:03,004`, or `02:03.004`, in milliseconds; whether there was one. */
static int take_time(gatherer_bytes *from, uint64_t *time) {
    uint64_t seconds = 0, part, colons = 0;
    for (;; colons++) {
        if (take_number(from, &part) == 0) return 0;
        if (colons > 0 && part > 59) return 0;
        seconds = seconds * 60 + part;
        if (colons == 2 || from->length == 0 || from->data[0] != ':') break;
        skip(from, 1);
    }
    if (colons == 0 || from->length == 0 || (from->data[0] != ',' && from->data[0] != '.')) return 0;
    skip(from, 1);
    if (take_number(from, &part) != 3) return 0;
    *time = seconds * 1000 + part;
    return 1;
}

static void times(subtitles *in, gatherer_bytes line) {
    uint64_t begin, end;
    int whole = take_time(&line, &begin);
    line = trimmed(line);
    whole = whole && begins(line, GATHERER_BYTES("-->"));
    if (whole) skip(&line, 3);
    line = trimmed(line);
    whole = whole && take_time(&line, &end) && (line.length == 0 || is_blank(line.data[0]));
    if (!whole) {
        broken(in, in->line, GATHERER_BYTES("times that cannot be read"));
    } else if (end < begin) {
        broken(in, in->line, GATHERER_BYTES("a cue that ends before it begins"));
    } else {
        in->cues++;
        if (end > in->end) in->end = end;
    }
}

/* ---- What is said ---- */

static const struct {
    gatherer_bytes name;
    gatherer_bytes means;
} ENTITIES[] = {
    {GATHERER_TEXT("&amp;"), GATHERER_TEXT("&")},   {GATHERER_TEXT("&lt;"), GATHERER_TEXT("<")},
    {GATHERER_TEXT("&gt;"), GATHERER_TEXT(">")},    {GATHERER_TEXT("&nbsp;"), GATHERER_TEXT(" ")},
    {GATHERER_TEXT("&quot;"), GATHERER_TEXT("\"")}, {GATHERER_TEXT("&#39;"), GATHERER_TEXT("'")},
    {GATHERER_TEXT("&lrm;"), GATHERER_TEXT("")},    {GATHERER_TEXT("&rlm;"), GATHERER_TEXT("")},
};

/* The length of `<i>`, `</c>`, `<00:01.000>` or `{\an8}` at the beginning; 0 if there is none, as in `a < b`. */
static size_t tag_length(gatherer_bytes line) {
    if (line.length < 3) return 0;
    char next = line.data[1], close;
    if (line.data[0] == '<') {
        char letter = (char)(next | 0x20);
        if (!(letter >= 'a' && letter <= 'z') && !(next >= '0' && next <= '9') && next != '/') return 0;
        close = '>';
    } else if (line.data[0] == '{' && next == '\\') {
        close = '}';
    } else {
        return 0;
    }
    const char *end = memchr(line.data, close, line.length < TAG_MOST ? line.length : TAG_MOST);
    return end == NULL ? 0 : (size_t)(end - line.data) + 1;
}

static void say(subtitles *in, gatherer_bytes bytes) {
    if (bytes.length != 0) memcpy(in->text + in->length, bytes.data, bytes.length);
    in->length += bytes.length;
}

static void say_character(subtitles *in, gatherer_bytes *line) {
    for (size_t place = 0; place < sizeof ENTITIES / sizeof ENTITIES[0]; place++) {
        if (!begins(*line, ENTITIES[place].name)) continue;
        say(in, ENTITIES[place].means);
        skip(line, ENTITIES[place].name.length);
        return;
    }
    say(in, (gatherer_bytes){line->data, 1});
    skip(line, 1);
}

static void say_line(subtitles *in, gatherer_bytes line) {
    size_t begin = in->length;
    while (line.length != 0) {
        size_t tag = tag_length(line);
        if (tag != 0) skip(&line, tag);
        else say_character(in, &line);
    }
    gatherer_bytes before = {in->text + in->last, begin - in->last};
    gatherer_bytes now = trimmed((gatherer_bytes){in->text + begin, in->length - begin});
    memmove(in->text + begin, now.data, now.length);
    in->length = begin + now.length;
    say(in, GATHERER_BYTES("\n"));
    now = (gatherer_bytes){in->text + begin, in->length - begin};
    /* Captions that roll up show each line again with the next one. */
    if (now.length == 1 || (now.length == before.length && begins(now, before))) in->length = begin;
    else in->last = begin;
}

/* ---- Blocks ---- */

static int is_number(gatherer_bytes line) {
    while (is_digit(line)) skip(&line, 1);
    return line.length == 0;
}

/* The words of a cue end with its block, or where the next cue stands without an empty line before it. */
static void cue_text(subtitles *in) {
    while (in_block(in)) {
        gatherer_bytes line = line_here(in);
        if (has_arrow(line) || (is_number(line) && has_arrow(line_behind(in)))) return;
        say_line(in, line);
        next_line(in);
    }
}

/* What people say is worth keeping even if nobody knows when; damaged times are not. */
static void text_without_times(subtitles *in) {
    uint64_t time;
    broken(in, in->line, GATHERER_BYTES("a cue without times"));
    if (is_number(line_here(in))) next_line(in);
    gatherer_bytes line = line_here(in);
    if (in_block(in) && take_time(&line, &time)) next_line(in);
    cue_text(in);
}

static void block(subtitles *in) {
    if (!has_arrow(line_here(in)) && has_arrow(line_behind(in))) next_line(in);
    if (!has_arrow(line_here(in))) {
        text_without_times(in);
        return;
    }
    times(in, line_here(in));
    next_line(in);
    cue_text(in);
}

static int is_word(gatherer_bytes line, gatherer_bytes word) {
    return begins(line, word) && (line.length == word.length || is_blank(line.data[word.length]));
}

static int is_remark(gatherer_bytes line) {
    return is_word(line, GATHERER_BYTES("NOTE")) || is_word(line, GATHERER_BYTES("STYLE")) || is_word(line, GATHERER_BYTES("REGION"));
}

/* The lines behind WEBVTT. The standard has none, but `Language: en` is widely written there. */
static void head(subtitles *in) {
    for (; in_block(in) && !has_arrow(line_here(in)); next_line(in)) {
        gatherer_bytes line = line_here(in);
        if (!begins(line, GATHERER_BYTES("Language:"))) continue;
        skip(&line, sizeof "Language:" - 1);
        line = trimmed(line);
        if (line.length != 0 && line.length <= 35) in->language = line;
    }
}

static void read_all(subtitles *in, int is_webvtt) {
    if (is_webvtt) head(in);
    while (in->rest.length != 0) {
        if (!in_block(in)) next_line(in);
        else if (is_webvtt && is_remark(line_here(in))) skip_block(in);
        else block(in);
    }
}

/* ---- Bytes to characters ---- */

/* Length of the character that begins here, by the rules of UTF-8; 0 if there is none. */
static size_t character_length(const unsigned char *bytes, size_t length) {
    unsigned char first = bytes[0];
    size_t size = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    if (size == 0 || size > length) return 0;
    for (size_t place = 1; place < size; place++)
        if ((bytes[place] & 0xc0) != 0x80) return 0;
    if (first == 0xe0 && bytes[1] < 0xa0) return 0;
    if (first == 0xed && bytes[1] > 0x9f) return 0;
    if (first == 0xf0 && bytes[1] < 0x90) return 0;
    if (first == 0xf4 && bytes[1] > 0x8f) return 0;
    return size;
}

/* A last character that is cut does not make the rest something else: it is left out. */
static int is_utf8(gatherer_bytes *bytes) {
    const unsigned char *all = (const unsigned char *)bytes->data;
    size_t place = 0, size = 1;
    while (place < bytes->length && (size = character_length(all + place, bytes->length - place)) != 0) place += size;
    size_t left = bytes->length - place;
    if (left > 3) return 0;
    for (size_t behind = 1; behind < left; behind++)
        if ((all[place + behind] & 0xc0) != 0x80) return 0;
    if (left != 0 && all[place] < 0xc2) return 0;
    bytes->length = place;
    return 1;
}

static void put(gatherer_bytes *to, uint32_t code) {
    char *end = (char *)to->data + to->length;
    if (code < 0x80) {
        *end++ = (char)code;
    } else if (code < 0x800) {
        *end++ = (char)(0xc0 | code >> 6);
        *end++ = (char)(0x80 | (code & 0x3f));
    } else {
        if (code < 0x10000) {
            *end++ = (char)(0xe0 | code >> 12);
        } else {
            *end++ = (char)(0xf0 | code >> 18);
            *end++ = (char)(0x80 | (code >> 12 & 0x3f));
        }
        *end++ = (char)(0x80 | (code >> 6 & 0x3f));
        *end++ = (char)(0x80 | (code & 0x3f));
    }
    to->length = (size_t)(end - to->data);
}

static void from_utf16(gatherer_bytes from, int high_first, gatherer_bytes *to) {
    const unsigned char *bytes = (const unsigned char *)from.data;
    uint32_t high = 0;
    for (size_t place = 2; place + 1 < from.length; place += 2) {
        uint32_t unit = high_first ? (uint32_t)bytes[place] << 8 | bytes[place + 1]
                                   : (uint32_t)bytes[place + 1] << 8 | bytes[place];
        int is_low = unit >= 0xdc00 && unit <= 0xdfff;
        if (high != 0) put(to, is_low ? 0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00) : 0xfffd);
        else if (is_low) put(to, 0xfffd);
        if (high != 0 && is_low) {
            high = 0;
            continue;
        }
        high = unit >= 0xd800 && unit <= 0xdbff ? unit : 0;
        if (high == 0 && !is_low) put(to, unit);
    }
}

/* What windows-1252 has between 0x80 and 0x9f; elsewhere its bytes are the numbers of their characters. */
static const uint16_t WINDOWS_1252[32] = {
    0x20ac, 0x81,   0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8d,
    0x017d, 0x8f,   0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a,
    0x0153, 0x9d,   0x017e, 0x0178,
};

static void from_windows_1252(gatherer_bytes from, gatherer_bytes *to) {
    for (size_t place = 0; place < from.length; place++) {
        unsigned char byte = (unsigned char)from.data[place];
        put(to, byte >= 0x80 && byte <= 0x9f ? WINDOWS_1252[byte - 0x80] : byte);
    }
}

/* The characters as UTF-8, in `buffer` if they are not so already; it has room for three bytes for each of `from`. */
static gatherer_bytes characters(gatherer_bytes from, char *buffer, const gatherer_host *host) {
    gatherer_bytes to = {buffer, 0};
    if (begins(from, GATHERER_BYTES("\xff\xfe")) || begins(from, GATHERER_BYTES("\xfe\xff"))) {
        from_utf16(from, from.data[0] == '\xfe', &to);
        return to;
    }
    if (begins(from, GATHERER_BYTES("\xef\xbb\xbf"))) skip(&from, 3);
    if (is_utf8(&from)) return from;
    host->complaint(host, GATHERER_BYTES("is not UTF-8 and was read as windows-1252"));
    from_windows_1252(from, &to);
    return to;
}

/* ---- The plugin ---- */

static int refuse(const gatherer_host *host, gatherer_bytes reason) {
    host->reason(host, reason);
    return GATHERER_REFUSED;
}

static void give_findings(subtitles *in) {
    struct words count = {.length = 0}, duration = {.length = 0}, rest = {.length = 0};
    add_number(&count, in->cues, 1);
    give(in, GATHERER_BYTES("Cues"), said(&count));
    add_number(&duration, in->end / 1000, 1);
    give(in, GATHERER_BYTES("Duration"), said(&duration));
    if (in->language.length != 0) give(in, GATHERER_BYTES("Language"), in->language);
    in->host->text(in->host, (gatherer_bytes){in->text, in->length});
    if (in->broken <= NAMED_MOST) return;
    add(&rest, GATHERER_BYTES("so many more cues are broken: "));
    add_number(&rest, in->broken - NAMED_MOST, 1);
    in->host->complaint(in->host, said(&rest));
}

static int summarize_body(gatherer_bytes body, gatherer_bytes kind, char *buffer, const gatherer_host *host) {
    subtitles in = {.host = host, .line = 1};
    in.rest = characters(body, buffer, host);
    /* Behind the characters: what is said is never longer, but for the end of the last line. */
    in.text = buffer + body.length * 3;
    int is_webvtt = is_word(line_here(&in), GATHERER_BYTES("WEBVTT"));
    if (!is_webvtt && begins(kind, GATHERER_BYTES("WebVTT"))) return refuse(host, GATHERER_BYTES("does not begin with WEBVTT"));
    read_all(&in, is_webvtt);
    if (in.cues == 0) return refuse(host, GATHERER_BYTES("has no cue with times"));
    give_findings(&in);
    return GATHERER_DONE;
}

static int summarize(const gatherer_document *document, gatherer_bytes content, const gatherer_host *host) {
    size_t size = content.length;
    if (document->size > size) size = document->size < BODY_MOST ? (size_t)document->size : BODY_MOST;
    if (size < content.length) size = content.length;
    char *memory = malloc(size * 7 + 1);
    if (memory == NULL) {
        host->reason(host, GATHERER_BYTES("there is not memory enough"));
        return GATHERER_FAILED;
    }
    if (content.length != 0) memcpy(memory, content.data, content.length);
    size_t have = content.length;
    while (have < size) {
        size_t more = host->read(host, have, memory + have, size - have);
        if (more == 0) break;
        have += more;
    }
    if (have < document->size) host->complaint(host, GATHERER_BYTES("only its beginning was read"));
    int end = summarize_body((gatherer_bytes){memory, have}, document->kind, memory + size, host);
    free(memory);
    return end;
}

static const gatherer_bytes KINDS[] = {GATHERER_TEXT("SubRip"), GATHERER_TEXT("WebVTT")};

static const gatherer_plugin_table TABLE = {
    .contract = GATHERER_CONTRACT,
    .size = sizeof(gatherer_plugin_table),
    .name = GATHERER_TEXT("subtitles"),
    .version = GATHERER_TEXT("1.0.0"),
    .kinds = KINDS,
    .kind_count = sizeof KINDS / sizeof KINDS[0],
    .summarize = summarize,
};

const gatherer_plugin_table *gatherer_plugin(uint32_t contract) {
    return contract == GATHERER_CONTRACT ? &TABLE : NULL;
}
