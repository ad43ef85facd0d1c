/* A plugin that says all of itself, and can do nothing. */
#include "gatherer-plugin.h"

static const gatherer_bytes KINDS[] = {GATHERER_TEXT("Text")};

static const gatherer_plugin_table TABLE = {
    .contract = GATHERER_CONTRACT,
    .size = sizeof(gatherer_plugin_table),
    .name = GATHERER_TEXT("no-function"),
    .version = GATHERER_TEXT("1.0.0"),
    .kinds = KINDS,
    .kind_count = sizeof KINDS / sizeof KINDS[0],
};

const gatherer_plugin_table *gatherer_plugin(uint32_t contract) {
    return contract == GATHERER_CONTRACT ? &TABLE : NULL;
}
