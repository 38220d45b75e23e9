/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TERMINAL_LIBRARY_ERROR_H
#define CLI_TERMINAL_LIBRARY_ERROR_H

#include "nimgp.h"
#include "text/complaint.h"

/* The library's message as a complaint, with the kind of its status; returns false. */
bool complain_of(struct complaint *complaint, const nim_error *error);

#endif
