/* SPDX-License-Identifier: Apache-2.0 */
/*
 * multiply_block: one block of op(A) times op(B), as gemm.c describes it, with vectors of one size.
 * Only gemm.c includes this file, once for each size, and defines before
 *     LANES           how many numbers a vector has
 *     BLOCK_TARGET    which instructions multiply_block is compiled for
 *     VARIANT(name)   the name with a suffix, because all sizes end up in one file
 * There is no guard against a second inclusion. The definitions of names are then repeated, which C
 * allows, and stand for other names.
 */
#define vector VARIANT(vector)
#define unaligned_vector VARIANT(unaligned_vector)
#define result_vector VARIANT(result_vector)
#define tile VARIANT(tile)
#define multiply_add VARIANT(multiply_add)
#define multiply VARIANT(multiply)
#define write_vector VARIANT(write_vector)
#define write_whole_tile VARIANT(write_whole_tile)
#define write_part_of_tile VARIANT(write_part_of_tile)
#define multiply_panel VARIANT(multiply_panel)
#define multiply_block VARIANT(multiply_block)

typedef real vector __attribute__((vector_size(LANES * sizeof(real)), may_alias));
typedef real unaligned_vector
    __attribute__((vector_size(LANES * sizeof(real)), aligned(sizeof(real)), may_alias));
/* LANES results, without alignment. */
typedef result result_vector
    __attribute__((vector_size(LANES * sizeof(result)), aligned(sizeof(result)), may_alias));

/* Sums for a tile of C, or for its first vectors only. */
struct tile {
    vector sum[TILE_ROWS][TILE_VECTORS];
};

/* tile += row of a panel of A, transposed, times row of a panel of B. */
SIMD_INLINE void multiply_add(size_t vectors, const real *a, const real *b, struct tile *tile) {
    for (size_t i = 0; i < TILE_ROWS; i++)
        for (size_t v = 0; v < vectors; v++)
            tile->sum[i][v] += a[i] * ((const vector *)b)[v];
}

/*
 * tile = panel of A (k x TILE_ROWS), transposed, times panel of B (k x vectors). One iteration has
 * several steps of k: if two threads share a core, the instructions besides the multiply-adds cost
 * most.
 */
SIMD_INLINE void multiply(size_t vectors, size_t k, const real *a, const real *b,
                          struct tile *tile) {
    const size_t width = vectors * LANES;
    for (size_t i = 0; i < TILE_ROWS; i++)
        for (size_t v = 0; v < vectors; v++)
            tile->sum[i][v] = (vector){0};
    size_t p = 0;
    for (; p + STEPS <= k; p += STEPS, a += STEPS * TILE_ROWS, b += STEPS * width)
        for (size_t step = 0; step < STEPS; step++)
            multiply_add(vectors, a + step * TILE_ROWS, b + step * width, tile);
    for (; p < k; p++, a += TILE_ROWS, b += width)
        multiply_add(vectors, a, b, tile);
}

SIMD_INLINE void write_vector(const unaligned_vector *sum, bool add, result *c) {
    result_vector *target = (result_vector *)c;
    if (add)
        *target += __builtin_convertvector(*sum, result_vector);
    else
        *target = __builtin_convertvector(*sum, result_vector);
}

SIMD_INLINE void write_whole_tile(size_t vectors, const struct tile *tile, bool add, result *c,
                                  size_t ldc) {
    for (size_t i = 0; i < TILE_ROWS; i++)
        for (size_t v = 0; v < vectors; v++)
            write_vector((const unaligned_vector *)&tile->sum[i][v], add, c + i * ldc + v * LANES);
}

/* Writes the tile at (row, column) if part of it is padding or above the diagonal of C. `numbers`
 * is not assumed to be aligned: with -fstack-protector-strong GCC 12 aligns a local array in a
 * function with clones to 16 bytes, whatever _Alignas says. */
SIMD_INLINE void write_part_of_tile(const struct product *x, size_t row, size_t column,
                                    size_t vectors, const struct tile *tile, bool add) {
    real numbers[TILE_ROWS][TILE_VECTORS * LANES];
    for (size_t i = 0; i < TILE_ROWS; i++)
        for (size_t v = 0; v < vectors; v++)
            ((unaligned_vector *)numbers[i])[v] = tile->sum[i][v];
    const size_t rows = smaller(TILE_ROWS, x->m - row);
    for (size_t i = 0; i < rows; i++) {
        const size_t right = x->shape == LOWER_RESULT ? smaller(x->n, row + i + 1) : x->n;
        const size_t width = right > column ? smaller(vectors * LANES, right - column) : 0;
        result *target = x->c + (row + i) * x->ldc + column;
        size_t j = 0;
        for (; j + LANES <= width; j += LANES)
            write_vector((const unaligned_vector *)&numbers[i][j], add, target + j);
        for (; j < width; j++)
            target[j] = add ? target[j] + numbers[i][j] : numbers[i][j];
    }
}

/* All rows of a block of A times one panel of B. `vectors` is a constant once inlined. */
SIMD_INLINE void multiply_panel(const struct product *x, const struct block *block, size_t column,
                                size_t vectors, const real *packed_a, real *scratch_b) {
    const size_t width = vectors * LANES;
    const real *packed_b = scratch_b;
    if (x->tb == PACKED)
        packed_b = x->b + block->start * padded(LANES, x->n) + column * block->depth;
    else
        pack_b(x, block, column, width, scratch_b);
    const bool add = x->add || block->start > 0;
    for (size_t i = 0; i < block->rows; i += TILE_ROWS) {
        const size_t row = block->row + i;
        if (x->shape == LOWER_RESULT && row + TILE_ROWS <= column)
            continue;
        const struct range k = panel_range(x, block, row);
        const size_t skip = k.from - block->start;
        struct tile tile;
        multiply(vectors, k.to - k.from, packed_a + i * block->depth + skip * TILE_ROWS,
                 packed_b + skip * width, &tile);
        const bool below = x->shape != LOWER_RESULT || column + width <= row + 1;
        if (below && row + TILE_ROWS <= x->m && column + width <= x->n)
            write_whole_tile(vectors, &tile, add, x->c + row * x->ldc + column, x->ldc);
        else
            write_part_of_tile(x, row, column, vectors, &tile, add);
    }
}

BLOCK_TARGET static void multiply_block(const struct product *x, const struct block *block,
                                        real *scratch) {
    real *packed_b = scratch + HEIGHT * DEPTH;
    const real *packed_a = scratch;
    if (x->ta == PACKED)
        packed_a = x->a + block->start * padded(LANES, x->m) + block->row * block->depth;
    else
        pack_a(x, block, scratch);
    const size_t right = x->shape == LOWER_RESULT ? block->row + block->rows : x->n;
    for (size_t column = 0; column < right;) {
        const size_t vectors = panel_vectors(LANES, x->n - column);
        if (vectors == 3)
            multiply_panel(x, block, column, 3, packed_a, packed_b);
        else if (vectors == 2)
            multiply_panel(x, block, column, 2, packed_a, packed_b);
        else
            multiply_panel(x, block, column, 1, packed_a, packed_b);
        column += vectors * LANES;
    }
}

#undef LANES
#undef BLOCK_TARGET
#undef VARIANT
