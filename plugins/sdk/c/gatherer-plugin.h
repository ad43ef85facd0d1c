/* The contract between gatherer and plugin, version 0.1, for C and whatever speaks C.
 *
 * The same source can become a dynamic library or, with `gatherer-plugin-wasm.c` beside it, a WebAssembly component.
 * It says the same as `plugin.wit`, where the meaning of each field stands.
 *
 * A plugin exports one function, `gatherer_plugin`, which gives a table of what it can do. The gatherer checks `contract`
 * and `size` before it looks at anything else.
 *
 * Memory: nobody frees what the other side has allocated. What the gatherer hands over is valid until the call returns;
 * what the plugin hands to a function of `gatherer_host` is copied before that function returns. The table and all that it
 * points at stay valid while the library is loaded.
 *
 * Threads: one call at a time in one process. Nothing may be thrown or jumped across these functions; a plugin that calls
 * abort or exit, or overruns its limits, is ended, and costs one document its summary.
 */
#ifndef GATHERER_PLUGIN_H
#define GATHERER_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version 0.1 as a number: major * 1000 + minor. */
#define GATHERER_CONTRACT 1

/* Bytes with their length. Text is UTF-8 and need not end with NUL. `data` is NULL where there is no value. */
typedef struct gatherer_bytes {
    const char *data;
    size_t length;
} gatherer_bytes;

typedef struct gatherer_pair {
    gatherer_bytes name;
    gatherer_bytes value;
} gatherer_pair;

typedef struct gatherer_vote {
    gatherer_bytes voter;
    gatherer_bytes kind;
    gatherer_bytes because;
} gatherer_vote;

/* A time that is not known. */
#define GATHERER_NO_TIME UINT64_MAX

typedef struct gatherer_document {
    /* Bytes of this structure as the gatherer knows it. Later versions only add fields at the end. */
    uint32_t size_of_this;
    /* The body was cut at the operator's size limit. */
    uint32_t cut;
    gatherer_bytes url;
    gatherer_bytes kind;
    const gatherer_vote *votes;
    size_t vote_count;
    const gatherer_pair *headers;
    size_t header_count;
    gatherer_bytes charset;
    /* Bytes of the body. */
    uint64_t size;
    uint64_t fetched;
    uint64_t modified;
    gatherer_bytes previous;
    const gatherer_pair *options;
    size_t option_count;
} gatherer_document;

typedef struct gatherer_attribute {
    gatherer_bytes name;
    gatherer_bytes value;
    gatherer_bytes language;
    /* 0 if nothing is said. */
    float weight;
} gatherer_attribute;

typedef struct gatherer_child {
    gatherer_bytes name;
    gatherer_bytes kind;
    gatherer_bytes media_type;
    uint64_t modified;
    gatherer_bytes content;
} gatherer_child;

typedef struct gatherer_root {
    uint32_t size_of_this;
    gatherer_bytes name;
    const gatherer_bytes *urls;
    size_t url_count;
    uint64_t url_max;
    const gatherer_pair *options;
    size_t option_count;
} gatherer_root;

enum gatherer_level { GATHERER_DEBUG = 0, GATHERER_INFO = 1, GATHERER_WARN = 2 };

/* What a plugin may call while it works; each function takes the host itself as its first argument. Functions that the
 * operator has not granted are there and do nothing: `log` is silent, `read` gives 0 bytes, `deadline` says 0. */
typedef struct gatherer_host gatherer_host;
struct gatherer_host {
    /* Bytes of this structure as the gatherer knows it. */
    uint32_t size_of_this;
    /* The gatherer's own. */
    void *context;

    /* Other levels than those of gatherer_level count as GATHERER_WARN. */
    void (*log)(const gatherer_host *host, int level, gatherer_bytes text);
    /* Copies `length` bytes of the body from `offset` into `buffer`, fewer at its end; says how many. */
    size_t (*read)(const gatherer_host *host, uint64_t offset, void *buffer, size_t length);
    /* Milliseconds until this call is ended. */
    uint64_t (*deadline)(const gatherer_host *host);

    /* The answer, piece by piece, in any order. Text, canonical and reason count as they were said last. Pieces of a call
     * that does not end with GATHERER_DONE are dropped. All but values of attributes and content of children is UTF-8. */
    void (*attribute)(const gatherer_host *host, const gatherer_attribute *attribute);
    void (*text)(const gatherer_host *host, gatherer_bytes text);
    void (*reference)(const gatherer_host *host, gatherer_bytes url, gatherer_bytes text, int follow);
    void (*canonical)(const gatherer_host *host, gatherer_bytes url);
    void (*child)(const gatherer_host *host, const gatherer_child *child);
    void (*complaint)(const gatherer_host *host, gatherer_bytes text);
    /* Recognizers: the likeliest kind first. */
    void (*guess)(const gatherer_host *host, gatherer_bytes kind, gatherer_bytes because);
    /* Enumerators: one URL to gather. */
    void (*url)(const gatherer_host *host, gatherer_bytes url);
    /* The reason behind GATHERER_REFUSED, GATHERER_FAILED or GATHERER_LEAVE_OUT. */
    void (*reason)(const gatherer_host *host, gatherer_bytes reason);
};

/* How a call ended. Anything else counts as GATHERER_FAILED. */
enum gatherer_end {
    GATHERER_DONE = 0,
    /* This document is not for this plugin. */
    GATHERER_REFUSED = 1,
    /* The plugin itself is in trouble. */
    GATHERER_FAILED = 2,
    /* Post-summarizers: there is to be no record. */
    GATHERER_LEAVE_OUT = 3
};

typedef struct gatherer_setting {
    gatherer_bytes name;
    gatherer_bytes about;
    /* `data` is NULL if there is no default. */
    gatherer_bytes default_value;
} gatherer_setting;

/* A plugin: what it is, and what it can do. `content` is the beginning of the body: all of it up to 1 MiB. Functions of other roles than its own are NULL. */
typedef struct gatherer_plugin_table {
    /* GATHERER_CONTRACT as the plugin was compiled with. */
    uint32_t contract;
    /* sizeof(gatherer_plugin_table) as the plugin was compiled with. */
    uint32_t size;
    gatherer_bytes name;
    gatherer_bytes version;
    const gatherer_bytes *kinds;
    size_t kind_count;
    const gatherer_setting *options;
    size_t option_count;

    int (*summarize)(const gatherer_document *document, gatherer_bytes content, const gatherer_host *host);
    int (*recognize)(const gatherer_document *document, gatherer_bytes content, const gatherer_host *host);
    int (*enumerate)(const gatherer_root *root, const gatherer_host *host);
    /* The attributes given to `host->attribute` are all that the summary will have. */
    int (*correct)(const gatherer_document *document, const gatherer_attribute *attributes, size_t attribute_count,
                   const gatherer_host *host);
} gatherer_plugin_table;

#if defined(__wasm__)
#define GATHERER_EXPORT
#else
#define GATHERER_EXPORT __attribute__((visibility("default")))
#endif

/* The one symbol of a plugin. `contract` is what the gatherer speaks; the answer may be NULL if that is of no use. */
GATHERER_EXPORT const gatherer_plugin_table *gatherer_plugin(uint32_t contract);

/* Text that stands in the source: where a structure is initialized, and anywhere else. */
#define GATHERER_TEXT(literal) { (literal), sizeof(literal) - 1 }
#define GATHERER_BYTES(literal) ((gatherer_bytes) GATHERER_TEXT(literal))

#ifdef __cplusplus
}
#endif

#endif
