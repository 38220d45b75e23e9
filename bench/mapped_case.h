/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_MAPPED_CASE_H
#define BENCH_MAPPED_CASE_H

/* The rows of a row file of bench_rows.py, mapped: d columns of values, d of errors, the class. */

#include "nimgp.h"
#include "table/table.h"

/* Ends the program if the file cannot be read. */
struct table *mapped_table(const char *path);

/* Refers to the table; the labels are allocated. Reads the whole file. */
nim_data mapped_data(struct table *table);

#endif
