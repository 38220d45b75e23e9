/* SPDX-License-Identifier: Apache-2.0 */
/* Reporting failure: a status for the program, one line for the person. */
#ifndef STATUS_H
#define STATUS_H

#include "nimgp.h"

/* Writes status and message into `error` unless that is NULL, and returns status. */
__attribute__((format(printf, 3, 4))) nim_status failure(nim_error *error, nim_status status,
                                                         const char *format, ...);

/* Clears `error` and returns NIM_OK. */
nim_status succeed(nim_error *error);

#endif
