/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TABLE_FITS_ERROR_H
#define CLI_TABLE_FITS_ERROR_H

#include "complaint.h"

/* One line of what cfitsio has on its stack of messages, which is empty afterwards; false. */
bool complain_of_fits(struct complaint *complaint, const char *path, int status);

#endif
