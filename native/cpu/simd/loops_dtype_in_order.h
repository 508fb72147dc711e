/* Sums of rows added one after the other, whose bits do not depend on how many come at once: a part of loops_dtype.h. */

/* Most rows that are added in one pass over the columns. */
#define ORDERED_ROWS 4

/* Columns begin to begin + n - 1, at most BLOCK of them, of row x as float64. */
ALWAYS_INLINE void FN(as_doubles)(const T *x, int64_t n, double *restrict out)
{
#ifdef WIDEN
    float wide[BLOCK];
    FN(widen)(x, n, wide);
    for (int64_t j = 0; j < n; j++)
        out[j] = (double)wide[j];
#else
    for (int64_t j = 0; j < n; j++)
        out[j] = FN(value)(x[j]);
#endif
}

ALWAYS_INLINE void FN(sum_block_in_order)(const void *const *rows, int k, int64_t begin, int64_t n, double *restrict sums)
{
    double elems[ORDERED_ROWS][BLOCK];
    FN(prefetch_rows)((const T *const *)rows, k, begin);
    for (int r = 0; r < k; r++)
        FN(as_doubles)((const T *)rows[r] + begin, n, elems[r]);
    for (int64_t j = 0; j < n; j++) {
        double sum = sums[begin + j];
        for (int r = 0; r < k; r++)
            sum += elems[r][j];
        sums[begin + j] = sum;
    }
}

ALWAYS_INLINE void FN(sum_k_in_order)(const void *const *rows, int k, int64_t n, double *restrict sums)
{
    int64_t i = 0;
    for (; i + BLOCK <= n; i += BLOCK)
        FN(sum_block_in_order)(rows, k, i, BLOCK, sums);
    FN(sum_block_in_order)(rows, k, i, n - i, sums);
}

static void FN(sum_in_order)(const void *const *rows, int n_rows, int64_t n, double *sums)
{
    for (; n_rows >= ORDERED_ROWS; rows += ORDERED_ROWS, n_rows -= ORDERED_ROWS)
        FN(sum_k_in_order)(rows, ORDERED_ROWS, n, sums);
    switch (n_rows) {
    case 3: FN(sum_k_in_order)(rows, 3, n, sums); break;
    case 2: FN(sum_k_in_order)(rows, 2, n, sums); break;
    case 1: FN(sum_k_in_order)(rows, 1, n, sums); break;
    default: break;
    }
}

/* One row at a time: two columns of sums are as many streams as two rows. */
static void FN(moments_in_order)(const void *const *rows, int n_rows, int64_t n, const double *restrict shift,
                                 double *restrict first, double *restrict second)
{
    for (int r = 0; r < n_rows; r++) {
        const T *x = rows[r];
        for (int64_t block = 0; block < n; block += BLOCK) {
            int64_t end = block + BLOCK < n ? block + BLOCK : n;
            FN(prefetch)(x + block);
            for (int64_t i = block; i < end; i++) {
                double d = FN(value)(x[i]) - shift[i];
                first[i] += d;
                second[i] += d * d;
            }
        }
    }
}

#undef ORDERED_ROWS
