/* Recognizes rows of JSON objects, one a line (https://github.com/ndjson/ndjson-spec): logs, exports, data sets.
 *
 * By name and by first bytes they look like JSON or plain text; what gives them away is that each line is whole by
 * itself. Everything is decided from the beginning, which a line may be cut by.
 */
#include "gatherer-plugin.h"

#include <string.h>

/* As much as is looked at, and as many whole lines as are needed. */
#define BEGINNING ((size_t)64 << 10)
#define LINES_LEAST 2
/* Values within values. The reader calls itself for each, and the stack is not endless. */
#define DEPTH_MOST 100


typedef struct cursor {
    const char *at;
    const char *end;
} cursor;

/* ---- One value ---- */

/* What stands here; 0, which no JSON holds, at the end. */
static char here(const cursor *in) {
    return in->at < in->end ? *in->at : 0;
}

static int take(cursor *in, char byte) {
    if (here(in) != byte) return 0;
    in->at++;
    return 1;
}

static void skip_spaces(cursor *in) {
    while (here(in) == ' ' || here(in) == '\t' || here(in) == '\r') in->at++;
}

static int take_string(cursor *in) {
    if (!take(in, '"')) return 0;
    while (in->at < in->end && (unsigned char)*in->at >= 0x20) {
        char byte = *in->at++;
        if (byte == '"') return 1;
        if (byte == '\\' && in->at < in->end) in->at++;
    }
    return 0;
}

/* A number, or `true`, `false`, `null`. Which of them it is matters to nobody here. */
static int take_word(cursor *in) {
    const char *begin = in->at;
    while (here(in) != 0 && strchr("+-.0123456789Eaeflnrstu", here(in)) != NULL) in->at++;
    return in->at != begin;
}

static int take_value(cursor *in, int depth);

static int take_members(cursor *in, char close, int depth) {
    in->at++;
    skip_spaces(in);
    if (take(in, close)) return 1;
    do {
        skip_spaces(in);
        if (close == '}') {
            if (!take_string(in)) return 0;
            skip_spaces(in);
            if (!take(in, ':')) return 0;
        }
        if (!take_value(in, depth - 1)) return 0;
        skip_spaces(in);
    } while (take(in, ','));
    return take(in, close);
}

static int take_value(cursor *in, int depth) {
    skip_spaces(in);
    if (depth == 0) return 0;
    switch (here(in)) {
    case '{': return take_members(in, '}', depth);
    case '[': return take_members(in, ']', depth);
    case '"': return take_string(in);
    default: return take_word(in);
    }
}

/* ---- Lines ---- */

static int is_object(cursor line) {
    skip_spaces(&line);
    if (here(&line) != '{' || !take_value(&line, DEPTH_MOST)) return 0;
    skip_spaces(&line);
    return line.at == line.end;
}

static int is_empty(cursor line) {
    skip_spaces(&line);
    return line.at == line.end;
}

/* Whether every line is an object. The last one may be cut if the document goes on behind it. */
static int is_ndjson(cursor in, int goes_on) {
    size_t objects = 0;
    while (in.at < in.end) {
        const char *found = memchr(in.at, '\n', (size_t)(in.end - in.at));
        cursor line = {in.at, found == NULL ? in.end : found};
        if (found == NULL && goes_on) break;
        in.at = found == NULL ? in.end : found + 1;
        if (is_empty(line)) continue;
        if (!is_object(line)) return 0;
        objects++;
    }
    return objects >= LINES_LEAST;
}

/* ---- The plugin ---- */

static int recognize(const gatherer_document *document, gatherer_bytes content, const gatherer_host *host) {
    size_t length = content.length < BEGINNING ? content.length : BEGINNING;
    int goes_on = document->cut || document->size > length;
    if (length == 0) return GATHERER_DONE;
    cursor in = {content.data, content.data + length};
    if (length >= 3 && memcmp(in.at, "\xef\xbb\xbf", 3) == 0) in.at += 3;
    if (is_ndjson(in, goes_on)) host->guess(host, GATHERER_BYTES("NDJSON"), GATHERER_BYTES("each line is a JSON object"));
    return GATHERER_DONE;
}

static const gatherer_bytes KINDS[] = {GATHERER_TEXT("Text"), GATHERER_TEXT("JSON"), GATHERER_TEXT("Unknown")};

static const gatherer_plugin_table TABLE = {
    .contract = GATHERER_CONTRACT,
    .size = sizeof(gatherer_plugin_table),
    .name = GATHERER_TEXT("ndjson-recognizer"),
    .version = GATHERER_TEXT("1.0.0"),
    .kinds = KINDS,
    .kind_count = sizeof KINDS / sizeof KINDS[0],
    .recognize = recognize,
};

const gatherer_plugin_table *gatherer_plugin(uint32_t contract) {
    return contract == GATHERER_CONTRACT ? &TABLE : NULL;
}
