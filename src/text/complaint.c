/* SPDX-License-Identifier: Apache-2.0 */
#include "text/complaint.h"

#include "text/ascii.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#undef complain
#undef complain_of_memory

/* A text too long ends in dots, and never in half a UTF-8 character. */
static void shorten(char *text, size_t size) {
    size_t end = size - 4;
    while (end && ((unsigned char)text[end] & 0xc0) == 0x80)
        end--;
    memcpy(text + end, "...", 4);
}

bool complain(struct complaint *complaint, enum complaint_kind kind, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int wanted = vsnprintf(complaint->text, sizeof complaint->text, format, list);
    va_end(list);
    if (wanted < 0)
        complaint->text[0] = '\0';
    else if ((size_t)wanted >= sizeof complaint->text)
        shorten(complaint->text, sizeof complaint->text);
    make_one_line(complaint->text); /* whatever a file's name holds */
    complaint->kind = kind;
    return false;
}

bool complain_of_memory(struct complaint *complaint) {
    return complain(complaint, BROKE_DOWN, "out of memory");
}
