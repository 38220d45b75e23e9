/* SPDX-License-Identifier: Apache-2.0 */
#include "input/input.h"

const struct input_model *const input_list[] = {
#define ADDRESS(name) &input_##name,
    INPUT_LIST(ADDRESS)
#undef ADDRESS
        NULL,
};
