/* SPDX-License-Identifier: Apache-2.0 */
#include "likelihood/likelihood.h"

const struct likelihood *const likelihood_list[] = {
#define ADDRESS(name) &likelihood_##name,
    LIKELIHOOD_LIST(ADDRESS)
#undef ADDRESS
        NULL,
};

const char *likelihood_target_name(enum target_kind target) {
    static const char *const name[] = {
        [TARGET_CLASS] = "class",   [TARGET_LEVEL] = "level", [TARGET_LABELS] = "labels",
        [TARGET_NUMBER] = "number", [TARGET_COUNT] = "count",
    };
    return name[target];
}

size_t likelihood_target_width(const struct likelihood *likelihood, size_t classes) {
    switch (likelihood->target) {
    case TARGET_LABELS:
        return classes;
    case TARGET_COUNT:
        return 2;
    default:
        return 1;
    }
}
