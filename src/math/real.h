/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * One source for two precisions. A file that uses the type `real` is compiled directly for doubles.
 * NAME_single.c defines SINGLE and includes it, which compiles it for floats. REAL(name) is the
 * name of a function in this precision: name, or name_single. WIDENED(name) is the product of two
 * matrices of reals that gives a matrix of doubles: name, or name_widening.
 */
#ifdef SINGLE
typedef float real;
#define REAL(name) name##_single
#define WIDENED(name) name##_widening
#else
typedef double real;
#define REAL(name) name
#define WIDENED(name) name
#endif
