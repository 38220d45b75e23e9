/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FAULT_FAULT_H
#define TESTS_FAULT_FAULT_H

/* The calls of fault.c, for a program that it is linked into. */

#include <stdbool.h>

/* From here on the `at`-th call of this kind fails, once. */
void fault_arm(const char *kind, unsigned long long at);

/* No call fails any more; whether one did. */
bool fault_disarm(void);

/* Blocks of memory that are not freed. */
long long fault_live(void);

#endif
