/* The loops over elements of each dtype: column sums, extremes and moments of a few rows at a time. */
#include "loops.h"

#define VALUES(NAME)                                                                                                   \
    static void values_##NAME(const void *row, int64_t n, double *out)                                                 \
    {                                                                                                                  \
        const storage_##NAME *x = row;                                                                                 \
        for (int64_t i = 0; i < n; i++)                                                                                \
            out[i] = gp_value_##NAME(x[i]);                                                                            \
    }

#define STORAGE(NAME, storage, name, code, bits) typedef storage storage_##NAME;
GP_PLAIN_DTYPES(STORAGE)
GP_CODED_DTYPES(STORAGE)
#undef STORAGE
GP_LOOP_DTYPES(VALUES)

extern const gp_loops GP_LEVELED(gp_loops)[GP_N_DTYPES];
const gp_loops GP_LEVELED(gp_loops)[GP_N_DTYPES] = {
#define LOOPS_ROW(NAME) [GP_##NAME] = {.is_float = GP_##NAME >= GP_F32, .values = values_##NAME},
    GP_LOOP_DTYPES(LOOPS_ROW)
#undef LOOPS_ROW
};
