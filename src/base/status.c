/* SPDX-License-Identifier: Apache-2.0 */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

const char *nim_version(void) {
    return NIM_VERSION;
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

nim_status failure(nim_error *error, nim_status status, const char *format, ...) {
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        error->status = status;
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
        for (char *c = error->message; *c; c++) /* a name or value may bring a newline along */
            if ((unsigned char)*c < ' ')
                *c = ' ';
    }
    return status;
}

nim_status succeed(nim_error *error) {
    if (error) {
        error->status = NIM_OK;
        error->message[0] = '\0';
    }
    return NIM_OK;
}
