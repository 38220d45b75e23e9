/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_COMMAND_PANEL_TABLE_H
#define CLI_COMMAND_PANEL_TABLE_H

/* What the fits of a panel see of the rows, their weights, and what they gained. */

#include "nimgp.h"
#include "text/json_writer.h"

/* Nothing if the model has no panel. */
void panel_table_print(const nim_model *model);

/* The member "panel", null if the model has none. */
void panel_table_write(const nim_model *model, struct json_writer *json);

#endif
