/* SPDX-License-Identifier: Apache-2.0 */
#include "complaint.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* One line whatever a file name holds: control characters become question marks. A text too long
 * ends in dots, and never in half a UTF-8 character. */
static void tidy(char *text, size_t size, int wanted) {
    if (wanted >= 0 && (size_t)wanted >= size) {
        size_t end = size - 4;
        while (end && ((unsigned char)text[end] & 0xc0) == 0x80)
            end--;
        memcpy(text + end, "...", 4);
    }
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
}

bool complain(struct complaint *complaint, int code, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int wanted = vsnprintf(complaint->text, sizeof complaint->text, format, list);
    va_end(list);
    tidy(complaint->text, sizeof complaint->text, wanted);
    complaint->code = code;
    return false;
}

static int code_of(nim_status status) {
    switch (status) {
    case NIM_OK:
        return EXIT_FINE;
    case NIM_INVALID_ARGUMENT:
        return EXIT_USAGE;
    case NIM_BAD_DATA:
    case NIM_BAD_FILE:
        return EXIT_BAD_INPUT;
    case NIM_CANCELLED:
        return EXIT_INTERRUPTED;
    case NIM_OUT_OF_MEMORY:
    case NIM_NUMERICAL:
        break;
    }
    return EXIT_NUMERICAL;
}

bool complain_of(struct complaint *complaint, const nim_error *error) {
    return complain(complaint, code_of(error->status), "%s",
                    error->message[0] ? error->message : nim_status_text(error->status));
}
