/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal/library_error.h"

/* Of the statuses that are no breakdown. */
static const enum complaint_kind kinds[] = {[NIM_INVALID_ARGUMENT] = BAD_USAGE,
                                            [NIM_BAD_DATA] = BAD_INPUT,
                                            [NIM_IO] = BAD_INPUT,
                                            [NIM_BAD_FILE] = BAD_INPUT,
                                            [NIM_CANCELLED] = INTERRUPTED};

bool complain_of(struct complaint *complaint, const nim_error *error) {
    bool known = error->status < sizeof kinds / sizeof *kinds && kinds[error->status];
    return complain(complaint, known ? kinds[error->status] : BROKE_DOWN, "%s",
                    error->message[0] ? error->message : nim_status_text(error->status));
}
