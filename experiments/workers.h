/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXPERIMENTS_WORKERS_H
#define EXPERIMENTS_WORKERS_H

#include <stddef.h>

/* Calls perform(context, i) for every i < count, two at a time. */
void run_all(size_t count, void (*perform)(void *context, size_t index), void *context);

#endif
