/* A plugin of a contract that is not written yet: the gatherer has to look at `contract` before anything else. */
#include "gatherer-plugin.h"

static const gatherer_plugin_table TABLE = {
    .contract = 9001,
    .size = sizeof(gatherer_plugin_table),
    .name = GATHERER_TEXT("wrong-version"),
    .version = GATHERER_TEXT("1.0.0"),
};

const gatherer_plugin_table *gatherer_plugin(uint32_t contract) {
    (void)contract;
    return &TABLE;
}
