/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NIMGP_TRAIN_FINGERPRINT_H
#define NIMGP_TRAIN_FINGERPRINT_H

#include "nimgp.h"

#include <stdbool.h>
#include <stdint.h>

/* A checksum of the data that does not depend on their layout in memory. False when out of memory.
 */
bool fingerprint_of(const nim_data *data, uint32_t *result);

#endif
