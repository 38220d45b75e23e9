/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "nimgp.h"
#include "text/complaint.h"

/* The library's message as a complaint, with the kind of its status; returns false. */
bool complain_of(struct complaint *complaint, const nim_error *error);
