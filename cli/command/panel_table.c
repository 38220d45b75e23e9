/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command/panel_table.h"

#include "cli/terminal/grid.h"

#include <stdio.h>

enum { MOST_FITS = 8, SEES = 256 };

/* Weights where a row's errors are such as training rows have, and where they are larger. */
struct told {
    size_t fits;
    double weight[2 * MOST_FITS], gain[2];
};

static struct told told_of(const nim_model *model) {
    struct told told = {0};
    size_t count = 0;
    if (nim_model_get(model, "panel_weights", told.weight, 2 * MOST_FITS, &count, NULL) == NIM_OK &&
        nim_model_get(model, "panel_gain", told.gain, 2, NULL, NULL) == NIM_OK)
        told.fits = count / 2;
    return told;
}

void panel_table_print(const nim_model *model) {
    const struct told told = told_of(model);
    char sees[SEES];
    if (!told.fits)
        return;
    struct grid *grid = grid_create("rrl");
    grid_cell(grid, "typical");
    grid_cell(grid, "larger");
    grid_cell(grid, "a fit of the panel sees");
    for (size_t k = 0; k < told.fits; k++) {
        nim_model_view(model, k, sees, sizeof sees);
        grid_cell(grid, "%.2f", told.weight[k]);
        grid_cell(grid, "%.2f", told.weight[told.fits + k]);
        grid_cell(grid, "%s", sees);
    }
    puts("");
    grid_print(grid, stdout);
    printf("  log p of held-out rows, compared with the first fit: %+.3f ± %.3f\n", told.gain[0],
           told.gain[1]);
}

void panel_table_write(const nim_model *model, struct json_writer *json) {
    const struct told told = told_of(model);
    char sees[SEES];
    if (!told.fits) {
        json_null(json, "panel");
        return;
    }
    json_object(json, "panel");
    json_array(json, "fits");
    for (size_t k = 0; k < told.fits; k++) {
        nim_model_view(model, k, sees, sizeof sees);
        json_object(json, NULL);
        json_text(json, "sees", sees);
        json_real(json, "typical", told.weight[k]);
        json_real(json, "larger", told.weight[told.fits + k]);
        json_close(json);
    }
    json_close(json);
    json_real(json, "gain", told.gain[0]);
    json_real(json, "gain_error", told.gain[1]);
    json_close(json);
}
