/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "input/input.h"

/* x = x~, or the centre of the row's prior if there is one, with value 0: the place function of
 * models that do not move their inputs. */
void place_as_measured(const struct input_batch *batch);
