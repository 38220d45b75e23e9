/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a row's q(x) = N(x~ + shift, NARROW_START exp(spread)) starts with in `narrow`. */
#define NARROW_START 1e-5
