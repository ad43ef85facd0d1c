/* Summarizes plain text: its title, how many lines and words it has, and where it leads.
 *
 * Text is not terminated by NUL here: it is an address and a length. What the gatherer is given it copies at once.
 */
#include "gatherer-plugin.h"

#include <stdlib.h>
#include <string.h>

#define SIZE_MOST ((uint64_t)16 << 20)
#define TITLE_MOST 200
#define REFERENCES_MOST 1000
#define URL_MOST 2000

static int refuse(const gatherer_host *host, gatherer_bytes reason) {
    host->reason(host, reason);
    return GATHERER_REFUSED;
}

static void give(const gatherer_host *host, gatherer_bytes name, gatherer_bytes value) {
    gatherer_attribute attribute = {.name = name, .value = value};
    host->attribute(host, &attribute);
}

static void give_number(const gatherer_host *host, gatherer_bytes name, size_t number) {
    /* By hand: stdio would bring files and clocks of WASI into a component. */
    char digits[20];
    size_t place = sizeof digits;
    do {
        digits[--place] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    give(host, name, (gatherer_bytes){digits + place, sizeof digits - place});
}

static int begins(gatherer_bytes text, gatherer_bytes with) {
    return text.length >= with.length && memcmp(text.data, with.data, with.length) == 0;
}

/* Whether one of `signs`; NUL is none of them. */
static int is_one_of(char sign, const char *signs) { return sign != 0 && strchr(signs, sign) != NULL; }

static int is_blank(char sign) { return is_one_of(sign, " \t\r\n\v\f"); }

/* What the gatherer takes for text has to be UTF-8. RFC 3629 says which sequences there are. */
static int is_utf8(gatherer_bytes text) {
    for (size_t place = 0; place < text.length;) {
        unsigned char first = (unsigned char)text.data[place++];
        unsigned more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
        unsigned char least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
        unsigned char most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
        if ((first >= 0x80 && first < 0xc2) || first > 0xf4 || more > text.length - place) return 0;
        for (; more > 0; more--, least = 0x80, most = 0xbf) {
            unsigned char next = (unsigned char)text.data[place++];
            if (next < least || next > most) return 0;
        }
    }
    return 1;
}

/* The first line that is not blank, or as much of it as a title needs. */
static gatherer_bytes title_of(gatherer_bytes text) {
    while (text.length != 0 && is_blank(*text.data)) text.data++, text.length--;
    const char *end = text.length == 0 ? NULL : memchr(text.data, '\n', text.length);
    if (end != NULL) text.length = (size_t)(end - text.data);
    if (text.length > TITLE_MOST) {
        text.length = TITLE_MOST;
        /* Not in the middle of a character. */
        while (text.length != 0 && ((unsigned char)text.data[text.length] & 0xc0) == 0x80) text.length--;
    }
    while (text.length != 0 && is_blank(text.data[text.length - 1])) text.length--;
    return text;
}

static size_t lines_of(gatherer_bytes text) {
    size_t lines = 0;
    for (size_t place = 0; place < text.length; place++) lines += text.data[place] == '\n';
    return lines + (text.length != 0 && text.data[text.length - 1] != '\n');
}

static size_t words_of(gatherer_bytes text) {
    size_t words = 0;
    for (size_t place = 0; place < text.length; place++)
        words += !is_blank(text.data[place]) && (place == 0 || is_blank(text.data[place - 1]));
    return words;
}

static void give_references(const gatherer_host *host, gatherer_bytes text) {
    int count = 0;
    while (text.length != 0 && count < REFERENCES_MOST) {
        size_t length = 0;
        while (length < text.length && !is_one_of(text.data[length], " \t\r\n\v\f<>()\"'")) length++;
        gatherer_bytes word = {text.data, length};
        while (word.length != 0 && is_one_of(word.data[word.length - 1], ".,;:!?")) word.length--;
        int is_url = begins(word, GATHERER_BYTES("http://")) || begins(word, GATHERER_BYTES("https://"));
        if (is_url && word.length <= URL_MOST) {
            host->reference(host, word, GATHERER_BYTES(""), 1);
            count++;
        }
        /* Behind the sign that ended it. */
        length += length < text.length;
        text.data += length, text.length -= length;
    }
}

static int is_set(const gatherer_document *document, gatherer_bytes name, gatherer_bytes value) {
    for (size_t place = 0; place < document->option_count; place++) {
        gatherer_pair option = document->options[place];
        if (option.name.length == name.length && begins(option.name, name))
            return option.value.length == value.length && begins(option.value, value);
    }
    return 0;
}

static int summarize_text(const gatherer_document *document, gatherer_bytes text, const gatherer_host *host) {
    if (text.length != 0 && memchr(text.data, 0, text.length) != NULL)
        return refuse(host, GATHERER_BYTES("it holds NUL bytes"));
    if (!is_utf8(text)) return refuse(host, GATHERER_BYTES("it is not UTF-8"));
    gatherer_bytes title = title_of(text);
    if (title.length != 0) give(host, GATHERER_BYTES("Title"), title);
    give_number(host, GATHERER_BYTES("Lines"), lines_of(text));
    if (!is_set(document, GATHERER_BYTES("words"), GATHERER_BYTES("false")))
        give_number(host, GATHERER_BYTES("Words"), words_of(text));
    give_references(host, text);
    if (text.length != 0) host->text(host, text);
    return GATHERER_DONE;
}

static int summarize(const gatherer_document *document, gatherer_bytes content, const gatherer_host *host) {
    if (document->size > SIZE_MOST) return refuse(host, GATHERER_BYTES("it is larger than 16 MiB"));
    if (document->size <= content.length) return summarize_text(document, content, host);
    /* What came with the call is only the beginning. */
    size_t size = (size_t)document->size, have = content.length, more;
    char *body = malloc(size);
    if (body == NULL) {
        host->reason(host, GATHERER_BYTES("there is not memory enough"));
        return GATHERER_FAILED;
    }
    if (have != 0) memcpy(body, content.data, have);
    while (have < size && (more = host->read(host, have, body + have, size - have)) != 0) have += more;
    int end = have < size ? refuse(host, GATHERER_BYTES("its end cannot be read"))
                          : summarize_text(document, (gatherer_bytes){body, size}, host);
    free(body);
    return end;
}

/* Has to agree with plugin.toml. */
static const gatherer_bytes KINDS[] = {GATHERER_TEXT("Text")};
static const gatherer_setting OPTIONS[] = {
    {GATHERER_TEXT("words"), GATHERER_TEXT("whether to count words"), GATHERER_TEXT("true")},
};
static const gatherer_plugin_table TABLE = {
    .contract = GATHERER_CONTRACT,
    .size = sizeof(gatherer_plugin_table),
    .name = GATHERER_TEXT("{{name}}"),
    .version = GATHERER_TEXT("0.1.0"),
    .kinds = KINDS,
    .kind_count = sizeof KINDS / sizeof KINDS[0],
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .summarize = summarize,
};

const gatherer_plugin_table *gatherer_plugin(uint32_t contract) {
    return contract == GATHERER_CONTRACT ? &TABLE : NULL;
}
