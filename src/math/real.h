/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_MATH_REAL_H
#define NIMGP_MATH_REAL_H

/*
 * One source for two precisions. A file that works on `real` numbers is compiled as it is for
 * doubles, and once more for floats by NAME_single.c, which defines SINGLE and includes it.
 * REAL(name) is what a function of this precision is called: name, or name_single. WIDENED(name) is
 * the product of two matrices of reals into one of doubles: name, or name_widening.
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

#endif
