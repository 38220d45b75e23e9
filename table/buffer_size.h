/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The number of bytes that a reader reads at a time. It is small in fuzz targets, so that even a
 * small file needs many buffers and any element may be split between two. The largest number of
 * columns is also small there, which makes fuzzing faster. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define BUFFER_SIZE(bytes) 256
#define COLUMN_LIMIT(columns) 512
#else
#define BUFFER_SIZE(bytes) (bytes)
#define COLUMN_LIMIT(columns) (columns)
#endif
