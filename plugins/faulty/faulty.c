/* A summarizer that misbehaves by order, to show that a bad plugin costs one document its summary and nothing else.
 *
 * The option `how` says what it does; a document that begins with `FAULT: word` has the last word. What it does not
 * know, or what its form cannot do, it answers well: Title is the first line.
 */
#include "gatherer-plugin.h"

#include <stdlib.h>
#include <string.h>

#ifdef __wasm__
#define NAME "faulty-wasm"
/* As part of this file, so that the answer can be tampered with behind the back of the functions that collect it. */
#include "gatherer-plugin-wasm.c"
#else
#define NAME "faulty-dylib"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
#include <unwind.h>
#endif

#define MEBIBYTE ((size_t)1 << 20)

static void give(const gatherer_host *host, gatherer_bytes name, gatherer_bytes value) {
    gatherer_attribute attribute = {.name = name, .value = value};
    host->attribute(host, &attribute);
}

/* ---- Faults of both forms. Those that return are followed by a good answer. ---- */

/* Loops that do nothing and memory that nobody looks at may be optimized away; what is volatile may not. */
static volatile uint32_t count;
static char *volatile kept;

static void spin(const gatherer_host *host) {
    (void)host;
    for (;;) count++;
}

static void leak(const gatherer_host *host) {
    (void)host;
    kept = malloc(MEBIBYTE);
    if (kept == NULL) abort();
    memset(kept, 1, MEBIBYTE);
}

static void allocate(const gatherer_host *host) {
    for (;;) leak(host);
}

static void flood(const gatherer_host *host) {
    for (;;) give(host, GATHERER_BYTES("Flood"), GATHERER_BYTES("and another line of a value that never ends"));
}

static void flood_log(const gatherer_host *host) {
    for (;;) host->log(host, GATHERER_WARN, GATHERER_BYTES("and another thing"));
}

static void trap(const gatherer_host *host) {
    (void)host;
    __builtin_trap();
}

static void die(const gatherer_host *host) {
    (void)host;
    abort();
}

static void not_utf8(const gatherer_host *host) {
    give(host, GATHERER_BYTES("Broken"), GATHERER_BYTES("a\xff\xfe value \xc3"));
    give(host, GATHERER_BYTES("Br\xffken"), GATHERER_BYTES("a value"));
}

static void huge_name(const gatherer_host *host) {
    char *name = malloc(MEBIBYTE);
    if (name == NULL) abort();
    memset(name, 'A', MEBIBYTE);
    give(host, (gatherer_bytes){name, MEBIBYTE}, GATHERER_BYTES("a value"));
    free(name);
}

__attribute__((noinline)) static uint32_t recurse(uint32_t depth) {
    /* The address escapes, so each call needs a place of its own on the stack. */
    volatile char place[1024];
    kept = (char *)place;
    place[depth % sizeof place] = (char)depth;
    /* Used behind the call, so that it cannot become a loop. */
    return count == UINT32_MAX ? depth : recurse(depth + 1) + (uint32_t)place[depth % sizeof place];
}

static void stack(const gatherer_host *host) {
    (void)host;
    count = recurse(0);
}

/* ---- Faults that the forms have each in its own way ---- */

#ifdef __wasm__

static void segfault(const gatherer_host *host) {
    (void)host;
    /* Behind all memory that the plugin may have. */
    count = *(volatile uint32_t *)UINT32_C(0xfffffff0);
}

static void lie_length(const gatherer_host *host) {
    give(host, GATHERER_BYTES("Title"), GATHERER_BYTES("one of very many"));
    answer.attributes.count = UINT32_MAX / sizeof(abi_attribute);
}

#else

static void segfault(const gatherer_host *host) {
    (void)host;
    /* Through a variable: an address that is known to be bad makes the compiler put in something else. */
    volatile uintptr_t address = 8;
    *(volatile int *)address = 1;
}

static void lie_length(const gatherer_host *host) {
    give(host, GATHERER_BYTES("Title"), (gatherer_bytes){NULL, SIZE_MAX / 2});
}

static void leave(const gatherer_host *host) {
    (void)host;
    exit(3);
}

static void rest(const gatherer_host *host) {
    (void)host;
    for (;;) sleep(1000);
}

static void fork_child(const gatherer_host *host) {
    if (fork() == 0) rest(host);
}

static void close_all(const gatherer_host *host) {
    (void)host;
    long most = sysconf(_SC_OPEN_MAX);
    for (int file = 0; file < most && file < 65536; file++) close(file);
}

static void write_stdout(const gatherer_host *host) {
    (void)host;
    printf("garbage where only messages should be\n");
    fflush(stdout);
}

static void ignore_term(const gatherer_host *host) {
    int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
    for (size_t place = 0; place < sizeof signals / sizeof signals[0]; place++) signal(signals[place], SIG_IGN);
    spin(host);
}

static void leak_files(const gatherer_host *host) {
    (void)host;
    for (int file = 0; file < 5000; file++) (void)!open("/dev/null", O_RDONLY);
}

/* What the sandbox forbids; an attribute says what came of it. */
static void attempted(const gatherer_host *host, int file) {
    int was_let = file >= 0;
    if (was_let) close(file);
    give(host, GATHERER_BYTES("Attempt"), was_let ? GATHERER_BYTES("it was let") : GATHERER_BYTES("it was kept"));
}

static void connect_out(const gatherer_host *host) {
    attempted(host, socket(AF_INET, SOCK_STREAM, 0));
}

static void write_outside(const gatherer_host *host) {
    char place[64];
    snprintf(place, sizeof place, "/tmp/gatherer-faulty-%ld", (long)getpid());
    attempted(host, open(place, O_CREAT | O_WRONLY, 0600));
    unlink(place);
}

static void write_scratch(const gatherer_host *host) {
    char place[4096];
    snprintf(place, sizeof place, "%s/notes", getenv("TMPDIR") == NULL ? "" : getenv("TMPDIR"));
    attempted(host, open(place, O_CREAT | O_WRONLY, 0600));
}

static void environment(const gatherer_host *host) {
    int has_secret = getenv("FAULTY_SECRET") != NULL;
    give(host, GATHERER_BYTES("Attempt"), has_secret ? GATHERER_BYTES("FAULTY_SECRET") : GATHERER_BYTES("PATH"));
}

/* As a C++ exception does that nobody catches before the gatherer's own functions. */
static void unwind(const gatherer_host *host) {
    (void)host;
    static struct _Unwind_Exception exception;
    _Unwind_RaiseException(&exception);
}

#endif

static const struct {
    gatherer_bytes word;
    void (*act)(const gatherer_host *host);
} FAULTS[] = {
    {GATHERER_TEXT("spin"), spin},
    {GATHERER_TEXT("allocate"), allocate},
    {GATHERER_TEXT("flood"), flood},
    {GATHERER_TEXT("flood-log"), flood_log},
    {GATHERER_TEXT("trap"), trap},
    {GATHERER_TEXT("segfault"), segfault},
    {GATHERER_TEXT("abort"), die},
    {GATHERER_TEXT("not-utf8"), not_utf8},
    {GATHERER_TEXT("huge-name"), huge_name},
    {GATHERER_TEXT("lie-length"), lie_length},
    {GATHERER_TEXT("leak"), leak},
    {GATHERER_TEXT("stack"), stack},
#ifndef __wasm__
    {GATHERER_TEXT("exit"), leave},
    {GATHERER_TEXT("sleep"), rest},
    {GATHERER_TEXT("fork"), fork_child},
    {GATHERER_TEXT("close"), close_all},
    {GATHERER_TEXT("write-stdout"), write_stdout},
    {GATHERER_TEXT("unwind"), unwind},
    {GATHERER_TEXT("ignore-term"), ignore_term},
    {GATHERER_TEXT("leak-fds"), leak_files},
    {GATHERER_TEXT("connect"), connect_out},
    {GATHERER_TEXT("write-outside"), write_outside},
    {GATHERER_TEXT("write-scratch"), write_scratch},
    {GATHERER_TEXT("environment"), environment},
#endif
};

/* ---- Orders ---- */

static int is(gatherer_bytes one, gatherer_bytes other) {
    return one.length == other.length && (one.length == 0 || memcmp(one.data, other.data, one.length) == 0);
}

static gatherer_bytes first_line(gatherer_bytes content) {
    size_t length = 0;
    while (length < content.length && content.data[length] != '\n' && content.data[length] != '\r') length++;
    return (gatherer_bytes){content.data, length};
}

static gatherer_bytes ordered(const gatherer_document *document, gatherer_bytes content) {
    gatherer_bytes prefix = GATHERER_BYTES("FAULT: "), line = first_line(content), how = GATHERER_BYTES("good");
    if (line.length >= prefix.length && memcmp(line.data, prefix.data, prefix.length) == 0)
        return (gatherer_bytes){line.data + prefix.length, line.length - prefix.length};
    for (size_t place = 0; place < document->option_count; place++)
        if (is(document->options[place].name, GATHERER_BYTES("how"))) how = document->options[place].value;
    return how;
}

static int summarize(const gatherer_document *document, gatherer_bytes content, const gatherer_host *host) {
    gatherer_bytes how = ordered(document, content);
    if (is(how, GATHERER_BYTES("refuse")) || is(how, GATHERER_BYTES("fail"))) {
        host->reason(host, GATHERER_BYTES("as ordered"));
        return is(how, GATHERER_BYTES("fail")) ? GATHERER_FAILED : GATHERER_REFUSED;
    }
    for (size_t place = 0; place < sizeof FAULTS / sizeof FAULTS[0]; place++)
        if (is(how, FAULTS[place].word)) FAULTS[place].act(host);
    if (!is(how, GATHERER_BYTES("lie-length"))) give(host, GATHERER_BYTES("Title"), first_line(content));
    return GATHERER_DONE;
}

static const gatherer_bytes KINDS[] = {GATHERER_TEXT("Text")};

static const gatherer_setting OPTIONS[] = {
    {GATHERER_TEXT("how"), GATHERER_TEXT("what it does wrong"), GATHERER_TEXT("good")},
};

static const gatherer_plugin_table TABLE = {
    .contract = GATHERER_CONTRACT,
    .size = sizeof(gatherer_plugin_table),
    .name = GATHERER_TEXT(NAME),
    .version = GATHERER_TEXT("1.0.0"),
    .kinds = KINDS,
    .kind_count = sizeof KINDS / sizeof KINDS[0],
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .summarize = summarize,
};

const gatherer_plugin_table *gatherer_plugin(uint32_t contract) {
    return contract == GATHERER_CONTRACT ? &TABLE : NULL;
}
