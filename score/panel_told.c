/* SPDX-License-Identifier: Apache-2.0 */
#include "score/panel_told.h"

struct panel_told panel_told_of(const nim_model *model) {
    struct panel_told told = {0};
    size_t count = 0, room = 2 * PANEL_MOST_FITS;
    if (nim_model_get(model, "panel_weights", told.weight, room, &count, NULL) == NIM_OK &&
        nim_model_get(model, "panel_gain", told.gain, 2, NULL, NULL) == NIM_OK)
        told.fits = count / 2;
    return told;
}

void panel_write(const nim_model *model, struct json_writer *json) {
    const struct panel_told told = panel_told_of(model);
    char sees[PANEL_SEES];
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
