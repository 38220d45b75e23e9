/* SPDX-License-Identifier: Apache-2.0 */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#undef failure
#undef option_failure
#undef cell_failure
#undef succeed

const char *nim_version(void) {
    return NIM_VERSION;
}

int nim_version_number(void) {
    return NIM_VERSION_NUMBER;
}

const char *nim_status_text(nim_status status) {
    switch (status) {
#define STATUS_CASE(name, text)                                                                    \
    case NIM_##name:                                                                               \
        return text;
        NIM_STATUS_LIST(STATUS_CASE)
#undef STATUS_CASE
    }
    return "unknown status";
}

/* The sentence is cut where there is no room; an ellipsis shows it. */
static void write_message(nim_error *error, size_t used, const char *format, va_list arguments) {
    size_t room = sizeof error->message - used;
    int length = vsnprintf(error->message + used, room, format, arguments);
    if (length >= 0 && (size_t)length >= room) {
        char *end = error->message + sizeof error->message - 4;
        while (((unsigned char)*end & 0xc0) == 0x80) /* inside a UTF-8 character */
            end--;
        memcpy(end, "...", 4);
    }
    for (char *c = error->message; *c; c++) /* a name or value may bring a newline along */
        if ((unsigned char)*c < ' ')
            *c = ' ';
}

static void clear(nim_error *error, nim_status status) {
    *error = (nim_error){.status = status, .row = NIM_NONE, .attribute = NIM_NONE};
}

nim_status failure(nim_error *error, nim_status status, const char *format, ...) {
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        clear(error, status);
        write_message(error, 0, format, arguments);
        va_end(arguments);
    }
    return status;
}

nim_status option_failure(nim_error *error, const char *option, const char *format, ...) {
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        clear(error, NIM_INVALID_ARGUMENT);
        snprintf(error->option, sizeof error->option, "%s", option);
        int used = snprintf(error->message, sizeof error->message, "option %s: ", error->option);
        write_message(error, (size_t)used, format, arguments);
        va_end(arguments);
    }
    return NIM_INVALID_ARGUMENT;
}

nim_status cell_failure(nim_error *error, size_t row, size_t attribute, const char *format, ...) {
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        clear(error, NIM_BAD_DATA);
        error->row = row;
        error->attribute = attribute;
        int used = attribute == NIM_NONE
                       ? snprintf(error->message, sizeof error->message, "row %zu: ", row)
                       : snprintf(error->message, sizeof error->message,
                                  "row %zu, attribute %zu: ", row, attribute);
        write_message(error, (size_t)used, format, arguments);
        va_end(arguments);
    }
    return NIM_BAD_DATA;
}

nim_status succeed(nim_error *error) {
    if (error)
        clear(error, NIM_OK);
    return NIM_OK;
}
