/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command/plan_table.h"

#include "cli/terminal/grid.h"
#include "text/number.h"

#include <string.h>

/* Whether the user set it. */
static bool was_given(const nim_model *model, const nim_option_info *info) {
    char value[64] = "";
    double number, usual; /* 1e-06 is 1e-6 */
    nim_options_get(nim_model_request(model), info->name, value, sizeof value, NULL);
    if (number_parse(value, &number) && number_parse(info->fallback, &usual))
        return number != usual;
    return strcmp(value, info->fallback) != 0;
}

void plan_table_print(const nim_model *model, bool all) {
    struct grid *grid = grid_create("lll");
    char value[256], why[512], idle[256];
    grid_cell(grid, "option");
    grid_cell(grid, "value");
    grid_cell(grid, "reason");
    for (size_t i = 0; i < nim_option_count(); i++) {
        const nim_option_info *info = nim_option_describe(i);
        bool given = was_given(model, info);
        bool chosen = nim_model_reason(model, info->name, why, sizeof why) > 0;
        bool usual = !given && (!chosen || strcmp(why, "usual") == 0);
        if (strcmp(info->name, "classes") == 0 || (usual && !all))
            continue;
        nim_model_choice(model, info->name, value, sizeof value);
        if (nim_model_idle(model, info->name, idle, sizeof idle) > 0)
            snprintf(why, sizeof why, "%sno effect: %s", given ? "given, but " : "", idle);
        else if (!chosen)
            snprintf(why, sizeof why, "%s", given ? "given" : "default");
        grid_cell(grid, "%s", info->name);
        grid_cell(grid, "%s", value);
        grid_cell(grid, "%s", why);
    }
    grid_print(grid, stdout);
}

void plan_report_idle(const nim_model *model, const struct arguments *arguments) {
    char why[256];
    for (size_t i = 0; i < nim_option_count(); i++) {
        const nim_option_info *info = nim_option_describe(i);
        if (was_given(model, info) && nim_model_idle(model, info->name, why, sizeof why) > 0)
            say(arguments, "option %s has no effect: %s", info->name, why);
    }
}
