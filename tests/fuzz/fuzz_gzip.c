/* SPDX-License-Identifier: Apache-2.0 */
/* Gzipped bytes. Data that are gzip already are used as they are. Others are the content of a gzip
 * file that is complete, cut short or has a wrong byte, as chosen by the first two bytes of the
 * data. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static uint8_t *zip(const uint8_t *data, size_t size, size_t *zipped) {
    enum { GZIP = 16, SMALL_WINDOW = 9, SMALL_TABLES = 1 }; /* a few kB to clear, not 256 */
    z_stream stream = {0};
    must(deflateInit2(&stream, 1, Z_DEFLATED, GZIP + SMALL_WINDOW, SMALL_TABLES,
                      Z_DEFAULT_STRATEGY) == Z_OK);
    size_t room = deflateBound(&stream, (uLong)size);
    uint8_t *bytes = malloc(room);
    must(bytes);
    stream.next_in = (uint8_t *)(uintptr_t)data;
    stream.avail_in = (uInt)size;
    stream.next_out = bytes;
    stream.avail_out = (uInt)room;
    must(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    *zipped = stream.total_out;
    deflateEnd(&stream);
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2 || (data[0] == 0x1f && data[1] == 0x8b)) {
        fuzz_read_table(data, size, TABLE_ANY);
        return 0;
    }
    size_t zipped, place;
    uint8_t *bytes = zip(data + 2, size - 2, &zipped);
    place = data[1] * zipped / 256;
    if (data[0] % 4 == 1)
        zipped = place;
    else if (data[0] % 4 == 2)
        bytes[place] ^= (uint8_t)(1 + data[0] / 4);
    fuzz_read_table(bytes, zipped, TABLE_ANY);
    free(bytes);
    return 0;
}
