/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FITS_SAMPLE_H
#define TESTS_FITS_SAMPLE_H

#include <stdbool.h>

/* A FITS table with columns of every type, written by cfitsio: type is BINARY_TBL or ASCII_TBL of
 * fitsio.h. The file is made anew. */
void fits_sample(const char *path, int type, int rows, bool with_sums);

#endif
