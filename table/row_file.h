/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The row file (docs/row-file.md): numbers that are used in place when the file is mapped. All
 * numbers are in the byte order of the machine that wrote it, which is known from ORDER.
 *
 *     head     64 bytes  magic, ORDER, version, columns; zeros
 *     rows               rows x columns doubles; a text is the index of a word of its column
 *     columns            JSON, padded with blanks to a multiple of 8 bytes
 *     tail     32 bytes  rows, length of the JSON, CRC-32 of all bytes before it, magic
 *
 * What is known only at the end is stored at the end, so that a file can be written in one pass.
 */

#include <stdint.h>

#define ROW_FILE_MAGIC "NIMROWS\n"
#define ROW_FILE_ORDER 0x0102030405060708u

enum { ROW_FILE_VERSION = 1, ROW_FILE_MAGIC_SIZE = 8 };

struct row_file_head {
    char magic[ROW_FILE_MAGIC_SIZE];
    uint64_t order, version, columns, unused[4];
};

struct row_file_tail {
    uint64_t rows, json, checksum;
    char magic[ROW_FILE_MAGIC_SIZE];
};
