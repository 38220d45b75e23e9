/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_SANITIZED_H
#define TESTS_SUPPORT_SANITIZED_H

/* AddressSanitizer checks memory, not numbers, and is slow: with it tests of numbers do less. */
#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

#endif
