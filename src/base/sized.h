/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Copies of structures that a program fills in. The program may have been compiled against another
 * header, so its structure may be shorter or longer than ours. Members that it does not have are
 * zero in the copy. Members that we do not have must be zero in the original; otherwise the call is
 * refused, because the program relies on something that this library does not support.
 */

#include "base/status.h"

nim_status take_data(nim_data *ours, const nim_data *given, nim_error *error);
nim_status take_prediction(nim_prediction *ours, const nim_prediction *given, nim_error *error);
nim_status take_storage(nim_storage *ours, const nim_storage *given, nim_error *error);
nim_status take_collectives(nim_collectives *ours, const nim_collectives *given, nim_error *error);
