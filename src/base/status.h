/* SPDX-License-Identifier: Apache-2.0 */
/* Errors: a status for the program and a one-line message for people. */
#pragma once

#include "nimgp.h"

/* Writes status and message into `error` unless that is NULL, and returns status. */
__attribute__((format(printf, 3, 4))) nim_status failure(nim_error *error, nim_status status,
                                                         const char *format, ...);

/* As failure: NIM_INVALID_ARGUMENT, "option NAME: ...". */
__attribute__((format(printf, 3, 4))) nim_status
option_failure(nim_error *error, const char *option, const char *format, ...);

/* As failure: NIM_BAD_DATA, "row 3, attribute 1: ..."; attribute may be NIM_NONE. */
__attribute__((format(printf, 4, 5))) nim_status
cell_failure(nim_error *error, size_t row, size_t attribute, const char *format, ...);

/* Clears `error` and returns NIM_OK. */
nim_status succeed(nim_error *error);

/* What they return, for clang's static analysis, which sees one file at a time. */
#ifdef __clang_analyzer__
#define failure(error, status, ...) ((failure)(error, status, __VA_ARGS__), (status))
#define option_failure(...) ((option_failure)(__VA_ARGS__), NIM_INVALID_ARGUMENT)
#define cell_failure(...) ((cell_failure)(__VA_ARGS__), NIM_BAD_DATA)
#define succeed(error) ((succeed)(error), NIM_OK)
#endif
