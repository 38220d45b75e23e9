/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal/library_error.h"

static enum complaint_kind kind_of(nim_status status) {
    switch (status) {
    case NIM_INVALID_ARGUMENT:
        return BAD_USAGE;
    case NIM_BAD_DATA:
    case NIM_IO:
    case NIM_BAD_FILE:
        return BAD_INPUT;
    case NIM_CANCELLED:
        return INTERRUPTED;
    case NIM_OK: /* nothing to complain of */
    case NIM_OUT_OF_MEMORY:
    case NIM_NUMERICAL:
    case NIM_COMMUNICATION:
        break;
    }
    return BROKE_DOWN;
}

bool complain_of(struct complaint *complaint, const nim_error *error) {
    return complain(complaint, kind_of(error->status), "%s",
                    error->message[0] ? error->message : nim_status_text(error->status));
}
