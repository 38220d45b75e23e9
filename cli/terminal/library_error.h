/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TERMINAL_LIBRARY_ERROR_H
#define CLI_TERMINAL_LIBRARY_ERROR_H

#include "nimgp.h"
#include "text/complaint.h"

/* The library's own words as a complaint of the kind that belongs to its status; false. */
bool complain_of(struct complaint *complaint, const nim_error *error);

#endif
