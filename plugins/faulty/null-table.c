/* A plugin that speaks no contract that it hears of. */
#include "gatherer-plugin.h"

const gatherer_plugin_table *gatherer_plugin(uint32_t contract) {
    (void)contract;
    return NULL;
}
