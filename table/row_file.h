/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TABLE_ROW_FILE_H
#define TABLE_ROW_FILE_H

/*
 * The row file (docs/row-file.md): numbers that are used where they lie, once the file is mapped.
 * All numbers in the byte order of the machine that wrote it, which ORDER tells.
 *
 *     head     64 bytes  magic, ORDER, version, columns; zeros
 *     rows               rows x columns doubles; a text is the number of a word of its column
 *     columns            JSON, blanks behind it up to a multiple of 8 bytes
 *     tail     32 bytes  rows, bytes of the JSON, CRC-32 of all before it, magic
 *
 * What is known only in the end stands at the end, so that one is written in one go.
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

#endif
