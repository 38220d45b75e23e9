/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the fits of a panel see of the rows, their weights, and what they gained. */

#include "nimgp.h"
#include "text/json_writer.h"

enum { PANEL_MOST_FITS = 8, PANEL_SEES = 256 };

/* Weights where a row's errors are such as training rows have, and where they are larger; fits 0:
 * the model has no panel. */
struct panel_told {
    size_t fits;
    double weight[2 * PANEL_MOST_FITS], gain[2];
};

struct panel_told panel_told_of(const nim_model *model);

/* The member "panel", null if the model has none. */
void panel_write(const nim_model *model, struct json_writer *json);
