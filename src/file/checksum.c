/* SPDX-License-Identifier: Apache-2.0 */
#include "file/checksum.h"

enum { SLICES = 8 };

/* slice[s][b]: the remainder of byte b followed by s zero bytes, for eight bytes at a time. */
static void make_slices(uint32_t slice[SLICES][256]) {
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t remainder = b;
        for (int bit = 0; bit < 8; bit++)
            remainder = remainder >> 1 ^ (remainder & 1 ? 0xEDB88320u : 0);
        slice[0][b] = remainder;
    }
    for (int s = 1; s < SLICES; s++)
        for (uint32_t b = 0; b < 256; b++)
            slice[s][b] = slice[s - 1][b] >> 8 ^ slice[0][slice[s - 1][b] & 0xFF];
}

uint32_t checksum(uint32_t before, const void *bytes, size_t size) {
    uint32_t slice[SLICES][256], crc = ~before; /* the table is small work beside a file */
    const unsigned char *at = bytes;
    make_slices(slice);
    for (; size >= SLICES; size -= SLICES, at += SLICES) {
        crc ^=
            (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        crc = slice[7][crc & 0xFF] ^ slice[6][crc >> 8 & 0xFF] ^ slice[5][crc >> 16 & 0xFF] ^
              slice[4][crc >> 24] ^ slice[3][at[4]] ^ slice[2][at[5]] ^ slice[1][at[6]] ^
              slice[0][at[7]];
    }
    for (; size; size--, at++)
        crc = crc >> 8 ^ slice[0][(crc ^ *at) & 0xFF];
    return ~crc;
}
