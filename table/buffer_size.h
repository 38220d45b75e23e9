/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TABLE_BUFFER_SIZE_H
#define TABLE_BUFFER_SIZE_H

/* How many bytes a reader takes at a time. When fuzzing they are few, so that a small file fills a
 * buffer many times, and anything may be cut in two; and so are the columns there may be, so that
 * more files are tried in the time. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define BUFFER_SIZE(bytes) 256
#define COLUMN_LIMIT(columns) 512
#else
#define BUFFER_SIZE(bytes) (bytes)
#define COLUMN_LIMIT(columns) (columns)
#endif

#endif
