/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* CRC-32 as in zlib and PNG, continued over `size` further bytes; starts with 0. */
uint32_t checksum(uint32_t before, const void *bytes, size_t size);
