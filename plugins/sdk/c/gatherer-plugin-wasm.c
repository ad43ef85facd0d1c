/* Makes a WebAssembly component of a plugin that is written against gatherer-plugin.h.
 *
 * Compile it together with the plugin, link both into a core module, and let `gatherer plugin component` encode that;
 * `component.sh` beside this file does all three. The role is chosen by -DGATHERER_SUMMARIZER (if nothing is said),
 * -DGATHERER_RECOGNIZER, -DGATHERER_ENUMERATOR or -DGATHERER_POST_SUMMARIZER.
 *
 * What a component imports the operator has to grant, so nothing is imported unasked: -DGATHERER_LOG, -DGATHERER_BODY
 * and -DGATHERER_DEADLINE bring in the function of that name. Without them it is there and does nothing.
 *
 * The structures below are the records of plugin.wit as the canonical ABI of the component model lays them out in
 * memory: https://github.com/WebAssembly/component-model/blob/main/design/mvp/CanonicalABI.md. A string is an address
 * and a length, which on wasm32 is what `gatherer_bytes` is; so lists of strings, pairs and votes pass as they are.
 *
 * Memory: what the gatherer hands over was allocated by `cabi_realloc` and is ours to free: piece by piece and not in
 * bulk, because an adapter for WASI keeps its own state in memory from the same function. What the plugin answers is
 * kept until the gatherer has read it and calls `cabi_post_...`. Memory that cannot be had ends the call with a trap.
 */
#include "gatherer-plugin.h"

#include <stdlib.h>
#include <string.h>

#if !defined(__wasm32__)
#error "this file is for wasm32 only: a dynamic library needs nothing beside gatherer-plugin.h"
#endif

#if defined(GATHERER_RECOGNIZER)
#define ROLE_EXPORT "gatherer:plugin/recognizer@0.1.0#recognize"
#define ROLE_FUNCTION recognize
#elif defined(GATHERER_ENUMERATOR)
#define ROLE_EXPORT "gatherer:plugin/enumerator@0.1.0#enumerate"
#define ROLE_FUNCTION enumerate
#elif defined(GATHERER_POST_SUMMARIZER)
#define ROLE_EXPORT "gatherer:plugin/post-summarizer@0.1.0#correct"
#define ROLE_FUNCTION correct
#else
#define ROLE_EXPORT "gatherer:plugin/summarizer@0.1.0#summarize"
#define ROLE_FUNCTION summarize
#endif

#if defined(GATHERER_BODY) && (defined(GATHERER_ENUMERATOR) || defined(GATHERER_POST_SUMMARIZER))
#error "only summarizers and recognizers can ask for the body"
#endif

#define EXPORT(name) __attribute__((export_name(name)))
#define IMPORT(module, name) __attribute__((import_module(module), import_name(name)))
#define UNUSED __attribute__((unused))

/* ---- What passes over the border ---- */

#define LAYOUT(type, size, fields) _Static_assert(sizeof(type) == (size) && (fields), #type " by the canonical ABI")
#define AT(type, field, offset) (offsetof(type, field) == (offset))

LAYOUT(gatherer_bytes, 8, AT(gatherer_bytes, length, 4));
LAYOUT(gatherer_pair, 16, AT(gatherer_pair, value, 8));
LAYOUT(gatherer_vote, 24, AT(gatherer_vote, kind, 8) && AT(gatherer_vote, because, 16));

typedef struct abi_list { void *items; size_t count; } abi_list;
LAYOUT(abi_list, 8, AT(abi_list, count, 4));

/* option<string>, option<u64>, option<f32> */
typedef struct abi_maybe_text { uint8_t is_there; gatherer_bytes value; } abi_maybe_text;
typedef struct abi_maybe_time { uint8_t is_there; uint64_t value; } abi_maybe_time;
typedef struct abi_maybe_weight { uint8_t is_there; float value; } abi_maybe_weight;
LAYOUT(abi_maybe_text, 12, AT(abi_maybe_text, value, 4));
LAYOUT(abi_maybe_time, 16, AT(abi_maybe_time, value, 8));
LAYOUT(abi_maybe_weight, 8, AT(abi_maybe_weight, value, 4));

typedef struct abi_attribute {
    gatherer_bytes name, value;
    abi_maybe_text language;
    abi_maybe_weight weight;
} abi_attribute;
LAYOUT(abi_attribute, 36,
       AT(abi_attribute, value, 8) && AT(abi_attribute, language, 16) && AT(abi_attribute, weight, 28));

typedef struct abi_reference {
    gatherer_bytes url, text;
    uint8_t follow;
} abi_reference;
LAYOUT(abi_reference, 20, AT(abi_reference, text, 8) && AT(abi_reference, follow, 16));

typedef struct abi_child {
    gatherer_bytes name;
    abi_maybe_text kind, media_type;
    abi_maybe_time modified;
    gatherer_bytes content;
} abi_child;
LAYOUT(abi_child, 56,
       AT(abi_child, kind, 8) && AT(abi_child, media_type, 20) && AT(abi_child, modified, 32)
           && AT(abi_child, content, 48));

typedef struct abi_draft {
    abi_list attributes;
    abi_maybe_text text;
    abi_list references;
    abi_maybe_text canonical;
    abi_list children;
    abi_list complaints;
} abi_draft;
LAYOUT(abi_draft, 56,
       AT(abi_draft, text, 8) && AT(abi_draft, references, 20) && AT(abi_draft, canonical, 28)
           && AT(abi_draft, children, 40) && AT(abi_draft, complaints, 48));

typedef struct abi_guess { gatherer_bytes kind, because; } abi_guess;
LAYOUT(abi_guess, 16, AT(abi_guess, because, 8));

/* The variants `error` and `correction`: each of their cases is a string or a list. */
typedef struct abi_case { uint8_t which; gatherer_bytes value; } abi_case;
enum { ERROR_REFUSED = 0, ERROR_FAILED = 1, CORRECTION_KEEP = 0, CORRECTION_LEAVE_OUT = 1 };
LAYOUT(abi_case, 12, AT(abi_case, value, 4));

/* result<..., error>, whatever the role. */
typedef struct abi_result {
    uint8_t is_error;
    union {
        abi_draft draft;
        abi_list list;
        abi_case correction;
        abi_case error;
    } is;
} abi_result;
LAYOUT(abi_result, 60, AT(abi_result, is, 4));

typedef struct abi_setting {
    gatherer_bytes name, about;
    abi_maybe_text default_value;
} abi_setting;
LAYOUT(abi_setting, 28, AT(abi_setting, about, 8) && AT(abi_setting, default_value, 16));

typedef struct abi_description {
    gatherer_bytes name, version;
    abi_list kinds, options;
} abi_description;
LAYOUT(abi_description, 32,
       AT(abi_description, version, 8) && AT(abi_description, kinds, 16) && AT(abi_description, options, 24));

/* ---- Memory ---- */

static void *there(void *memory) {
    if (memory == NULL) __builtin_trap();
    return memory;
}

EXPORT("cabi_realloc") void *gatherer_wasm_realloc(void *old, size_t old_size, size_t align, size_t new_size) {
    /* What is empty needs no memory, only an aligned address. malloc aligns for every type that there is. */
    if (new_size == 0) return (void *)align;
    return there(realloc(old_size == 0 ? NULL : old, new_size));
}

/* Frees what came through `cabi_realloc`. */
static void drop(gatherer_bytes bytes) {
    if (bytes.length != 0) free((void *)bytes.data);
}

/* A list that grows. */
typedef struct growing {
    char *items;
    size_t count;
    size_t room;
} growing;

static void *grow(growing *list, size_t item_size) {
    if (list->count == list->room) {
        size_t room = list->room == 0 ? 16 : list->room * 2, bytes;
        if (__builtin_mul_overflow(room, item_size, &bytes)) __builtin_trap();
        list->items = there(realloc(list->items, bytes));
        list->room = room;
    }
    return list->items + item_size * list->count++;
}

static abi_list list_of(const growing *list) {
    return (abi_list){list->items, list->count};
}

/* ---- The answer, while the plugin gives it and until the gatherer has read it ---- */

struct kept {
    struct kept *next;
    char bytes[];
};

static struct {
    growing attributes, references, children, complaints, guesses, urls;
    abi_maybe_text text, canonical;
    gatherer_bytes reason;
    /* Copies of all bytes that the above point at. */
    struct kept *kept;
    abi_result result;
} answer;

static gatherer_bytes keep(gatherer_bytes bytes) {
    size_t size;
    if (bytes.data == NULL || bytes.length == 0) return (gatherer_bytes){NULL, 0};
    if (__builtin_add_overflow(sizeof(struct kept), bytes.length, &size)) __builtin_trap();
    struct kept *copy = there(malloc(size));
    memcpy(copy->bytes, bytes.data, bytes.length);
    copy->next = answer.kept;
    answer.kept = copy;
    return (gatherer_bytes){copy->bytes, bytes.length};
}

static abi_maybe_text keep_maybe(gatherer_bytes bytes) {
    return (abi_maybe_text){bytes.data != NULL, keep(bytes)};
}

static void forget(void) {
    growing *lists[] = {&answer.attributes, &answer.references, &answer.children,
                        &answer.complaints, &answer.guesses,    &answer.urls};
    for (size_t place = 0; place < sizeof lists / sizeof lists[0]; place++) free(lists[place]->items);
    while (answer.kept != NULL) {
        struct kept *next = answer.kept->next;
        free(answer.kept);
        answer.kept = next;
    }
    memset(&answer, 0, sizeof answer);
}

/* There is one host, and what it needs is in `answer`. */
#define HOST UNUSED const gatherer_host *host

static void host_attribute(HOST, const gatherer_attribute *given) {
    abi_attribute *attribute = grow(&answer.attributes, sizeof *attribute);
    *attribute = (abi_attribute){
        .name = keep(given->name),
        .value = keep(given->value),
        .language = keep_maybe(given->language),
        .weight = {given->weight != 0, given->weight},
    };
}

static void host_text(HOST, gatherer_bytes text) {
    answer.text = keep_maybe(text);
}

static void host_reference(HOST, gatherer_bytes url, gatherer_bytes text, int follow) {
    abi_reference *reference = grow(&answer.references, sizeof *reference);
    *reference = (abi_reference){keep(url), keep(text), follow != 0};
}

static void host_canonical(HOST, gatherer_bytes url) {
    answer.canonical = keep_maybe(url);
}

static void host_child(HOST, const gatherer_child *given) {
    abi_child *child = grow(&answer.children, sizeof *child);
    *child = (abi_child){
        .name = keep(given->name),
        .kind = keep_maybe(given->kind),
        .media_type = keep_maybe(given->media_type),
        .modified = {given->modified != GATHERER_NO_TIME, given->modified},
        .content = keep(given->content),
    };
}

static void host_complaint(HOST, gatherer_bytes text) {
    gatherer_bytes *complaint = grow(&answer.complaints, sizeof *complaint);
    *complaint = keep(text);
}

static void host_guess(HOST, gatherer_bytes kind, gatherer_bytes because) {
    abi_guess *guess = grow(&answer.guesses, sizeof *guess);
    *guess = (abi_guess){keep(kind), keep(because)};
}

static void host_url(HOST, gatherer_bytes url) {
    gatherer_bytes *added = grow(&answer.urls, sizeof *added);
    *added = keep(url);
}

static void host_reason(HOST, gatherer_bytes reason) {
    answer.reason = keep(reason);
}

/* ---- What the plugin may ask for ---- */

#ifdef GATHERER_LOG
IMPORT("gatherer:plugin/log@0.1.0", "write") void import_log_write(int32_t level, const char *text, size_t length);

static void host_log(HOST, int level, gatherer_bytes text) {
    /* A level that does not exist would end the call. */
    if (level < GATHERER_DEBUG || level > GATHERER_WARN) level = GATHERER_WARN;
    import_log_write(level, text.data, text.data == NULL ? 0 : text.length);
}
#else
static void host_log(HOST, UNUSED int level, UNUSED gatherer_bytes text) {}
#endif

#ifdef GATHERER_BODY
IMPORT("gatherer:plugin/body@0.1.0", "read") void import_body_read(uint64_t, uint32_t, gatherer_bytes *part);
#else
static void import_body_read(UNUSED uint64_t offset, UNUSED uint32_t length, UNUSED gatherer_bytes *part) {}
#endif

static size_t host_read(HOST, uint64_t offset, void *buffer, size_t length) {
    size_t done = 0;
    /* An import gives 1 MiB at most, so fewer bytes than asked for are not yet the end of the body. */
    while (done < length) {
        gatherer_bytes part = {NULL, 0};
        import_body_read(offset + done, length - done, &part);
        if (part.length == 0) break;
        if (part.length > length - done) __builtin_trap();
        memcpy((char *)buffer + done, part.data, part.length);
        done += part.length;
        drop(part);
    }
    return done;
}

#ifdef GATHERER_DEADLINE
IMPORT("gatherer:plugin/deadline@0.1.0", "left") uint64_t import_deadline_left(void);
#else
static uint64_t import_deadline_left(void) { return 0; }
#endif

static uint64_t host_deadline(HOST) {
    return import_deadline_left();
}

static const gatherer_host the_host = {
    .size_of_this = sizeof(gatherer_host),
    .log = host_log, .read = host_read, .deadline = host_deadline,
    .attribute = host_attribute, .text = host_text, .reference = host_reference, .canonical = host_canonical,
    .child = host_child, .complaint = host_complaint, .guess = host_guess, .url = host_url, .reason = host_reason,
};

/* ---- What every plugin exports ---- */

/* A plugin without the function of its role was built for another one: it cannot even describe itself. */
static const gatherer_plugin_table *table(void) {
    const gatherer_plugin_table *plugin = there((void *)gatherer_plugin(GATHERER_CONTRACT));
    there((void *)plugin->ROLE_FUNCTION);
    return plugin;
}

EXPORT("gatherer:plugin/plugin@0.1.0#describe") const abi_description *gatherer_wasm_describe(void) {
    static abi_description description;
    const gatherer_plugin_table *plugin = table();
    growing options = {0};
    for (size_t place = 0; place < plugin->option_count; place++) {
        const gatherer_setting *given = &plugin->options[place];
        abi_setting *setting = grow(&options, sizeof *setting);
        *setting = (abi_setting){given->name, given->about, {given->default_value.data != NULL, given->default_value}};
    }
    abi_list kinds = {(void *)plugin->kinds, plugin->kind_count};
    description = (abi_description){plugin->name, plugin->version, kinds, list_of(&options)};
    return &description;
}

EXPORT("cabi_post_gatherer:plugin/plugin@0.1.0#describe") void gatherer_wasm_described(const abi_description *read) {
    free(read->options.items);
}

/* ---- What the role exports ---- */

/* The answer of a call that did not end well. */
static const abi_result *no_answer(int end) {
    answer.result.is_error = 1;
    answer.result.is.error = (abi_case){end == GATHERER_REFUSED ? ERROR_REFUSED : ERROR_FAILED, answer.reason};
    return &answer.result;
}

EXPORT("cabi_post_" ROLE_EXPORT) void gatherer_wasm_answered(UNUSED const abi_result *read) {
    forget();
}

/* Frees a list whose items are so many strings each. */
static void drop_texts(abi_list list, size_t texts_each) {
    const gatherer_bytes *texts = list.items;
    for (size_t place = 0; place < list.count * texts_each; place++) drop(texts[place]);
    if (list.count != 0) free(list.items);
}

#if defined(GATHERER_ENUMERATOR)
EXPORT(ROLE_EXPORT)
const abi_result *gatherer_wasm_enumerate(const char *name, size_t name_length, void *urls, size_t url_count,
                                          uint64_t url_max, void *options, size_t option_count) {
    gatherer_root root = {
        .size_of_this = sizeof root,
        .name = {name, name_length},
        .urls = urls, .url_count = url_count, .url_max = url_max,
        .options = options, .option_count = option_count,
    };
    int end = table()->enumerate(&root, &the_host);
    drop(root.name);
    drop_texts((abi_list){urls, url_count}, 1);
    drop_texts((abi_list){options, option_count}, 2);
    if (end != GATHERER_DONE) return no_answer(end);
    answer.result.is.list = list_of(&answer.urls);
    return &answer.result;
}
#else
typedef struct abi_document {
    gatherer_bytes url, kind;
    abi_list votes, headers;
    abi_maybe_text charset;
    uint64_t size;
    uint8_t cut;
    abi_maybe_time fetched, modified;
    abi_maybe_text previous;
    abi_list options;
} abi_document;
LAYOUT(abi_document, 120,
       AT(abi_document, kind, 8) && AT(abi_document, votes, 16) && AT(abi_document, headers, 24)
           && AT(abi_document, charset, 32) && AT(abi_document, size, 48) && AT(abi_document, cut, 56)
           && AT(abi_document, fetched, 64) && AT(abi_document, modified, 80) && AT(abi_document, previous, 96)
           && AT(abi_document, options, 108));

/* The arguments would be more than sixteen flat values, so they come as one address. `with` is the content, or the
 * attributes. */
typedef struct abi_call { abi_document document; abi_list with; } abi_call;
LAYOUT(abi_call, 128, AT(abi_call, with, 120));

static gatherer_bytes text_or_none(abi_maybe_text given) {
    return given.is_there ? given.value : (gatherer_bytes){NULL, 0};
}

static uint64_t time_or_none(abi_maybe_time given) {
    return given.is_there ? given.value : GATHERER_NO_TIME;
}

static gatherer_document document_of(const abi_document *given) {
    return (gatherer_document){
        .size_of_this = sizeof(gatherer_document), .cut = given->cut,
        .url = given->url, .kind = given->kind,
        .votes = given->votes.items, .vote_count = given->votes.count,
        .headers = given->headers.items, .header_count = given->headers.count,
        .charset = text_or_none(given->charset),
        .size = given->size,
        .fetched = time_or_none(given->fetched), .modified = time_or_none(given->modified),
        .previous = text_or_none(given->previous),
        .options = given->options.items, .option_count = given->options.count,
    };
}

static void drop_document(const abi_document *given) {
    drop(given->url);
    drop(given->kind);
    drop_texts(given->votes, 3);
    drop_texts(given->headers, 2);
    drop(text_or_none(given->charset));
    drop(text_or_none(given->previous));
    drop_texts(given->options, 2);
}

#if defined(GATHERER_POST_SUMMARIZER)
EXPORT(ROLE_EXPORT) const abi_result *gatherer_wasm_correct(abi_call *call) {
    gatherer_document document = document_of(&call->document);
    const abi_attribute *given = call->with.items;
    growing list = {0};
    for (size_t place = 0; place < call->with.count; place++, given++) {
        gatherer_attribute *attribute = grow(&list, sizeof *attribute);
        *attribute = (gatherer_attribute){given->name, given->value, text_or_none(given->language),
                                          given->weight.is_there ? given->weight.value : 0};
    }
    gatherer_attribute *attributes = (gatherer_attribute *)list.items;
    int end = table()->correct(&document, attributes, list.count, &the_host);
    for (size_t place = 0; place < list.count; place++) {
        drop(attributes[place].name);
        drop(attributes[place].value);
        drop(attributes[place].language);
    }
    free(attributes);
    if (call->with.count != 0) free(call->with.items);
    drop_document(&call->document);
    free(call);
    if (end != GATHERER_DONE && end != GATHERER_LEAVE_OUT) return no_answer(end);
    gatherer_bytes kept = {answer.attributes.items, answer.attributes.count};
    answer.result.is.correction = end == GATHERER_DONE ? (abi_case){CORRECTION_KEEP, kept}
                                                       : (abi_case){CORRECTION_LEAVE_OUT, answer.reason};
    return &answer.result;
}
#else
EXPORT(ROLE_EXPORT) const abi_result *gatherer_wasm_look(abi_call *call) {
    gatherer_document document = document_of(&call->document);
    gatherer_bytes content = {call->with.items, call->with.count};
    int end = table()->ROLE_FUNCTION(&document, content, &the_host);
    drop_document(&call->document);
    drop(content);
    free(call);
    if (end != GATHERER_DONE) return no_answer(end);
#if defined(GATHERER_RECOGNIZER)
    answer.result.is.list = list_of(&answer.guesses);
#else
    answer.result.is.draft = (abi_draft){
        .attributes = list_of(&answer.attributes),
        .text = answer.text,
        .references = list_of(&answer.references),
        .canonical = answer.canonical,
        .children = list_of(&answer.children),
        .complaints = list_of(&answer.complaints),
    };
#endif
    return &answer.result;
}
#endif
#endif
