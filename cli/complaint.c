/* SPDX-License-Identifier: Apache-2.0 */
#include "complaint.h"

#include "plain.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A text too long ends in dots, and never in half a UTF-8 character. */
static void shorten(char *text, size_t size) {
    size_t end = size - 4;
    while (end && ((unsigned char)text[end] & 0xc0) == 0x80)
        end--;
    memcpy(text + end, "...", 4);
}

bool complain(struct complaint *complaint, int code, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int wanted = vsnprintf(complaint->text, sizeof complaint->text, format, list);
    va_end(list);
    if (wanted < 0)
        complaint->text[0] = '\0';
    else if ((size_t)wanted >= sizeof complaint->text)
        shorten(complaint->text, sizeof complaint->text);
    plain_line(complaint->text); /* whatever a file's name holds */
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
