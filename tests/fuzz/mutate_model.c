/* SPDX-License-Identifier: Apache-2.0 */
/* How libFuzzer changes model files: changes bytes, or replaces a number of an array by an extreme
 * one. Changing only bytes rarely leaves a file whose header matches its arrays. */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

static uint32_t next(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static double change(double old, uint32_t *state) {
    static const double hurts[] = {0.0,    -0.0,   1.0,     -1.0,     1e308,  -1e308,
                                   1e-308, 1e-320, 1e154,   -1e154,   700.0,  -700.0,
                                   350.0,  -350.0, 40.0,    -40.0,    0x1p53, 1e16,
                                   1e-12,  1e-2,   DBL_MAX, -DBL_MAX, NAN,    HUGE_VAL};
    enum { HURTS = sizeof hurts / sizeof *hurts };
    uint32_t choice = next(state) % (HURTS + 4);
    if (choice < HURTS)
        return hurts[choice];
    return choice == HURTS ? -old : choice == HURTS + 1 ? old * 1e10 : old * 10.0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    uint32_t state = seed;
    uint64_t header = 0;
    if (size > 8)
        memcpy(&header, data, 8);
    size_t numbers = size > 8 && header < size - 8 ? (size - 8 - header) / 8 : 0;
    if (!numbers || next(&state) % 4 == 0)
        return LLVMFuzzerMutate(data, size, most);
    if (header && next(&state) % 4 == 0) { /* the header alone; its length and arrays stay */
        uint8_t copy[8192];
        size_t length = header < sizeof copy ? header : sizeof copy;
        memcpy(copy, data + 8, length);
        size_t changed = LLVMFuzzerMutate(copy, length, length);
        memset(copy + changed, ' ', length - changed);
        memcpy(data + 8, copy, length);
        return size;
    }
    for (uint32_t times = 1 + next(&state) % 3; times; times--) {
        uint8_t *place = data + 8 + header + 8 * (next(&state) % numbers);
        double number;
        memcpy(&number, place, 8);
        number = change(number, &state);
        memcpy(place, &number, 8);
    }
    return size;
}
