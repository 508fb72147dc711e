/* Answers questions about dtypes from the one table. */
#include "dtypes.h"

typedef struct dtype_row {
    const char *name;
    int dlpack_code, n_bits;
} dtype_row;

static const dtype_row rows[GP_N_DTYPES] = {
#define DTYPE_ROW(NAME, storage, name, code, bits) [GP_##NAME] = {name, code, bits},
    GP_DTYPES(DTYPE_ROW)
#undef DTYPE_ROW
};

const char *gp_dtype_name(gp_dtype dtype) { return rows[dtype].name; }

int gp_dtype_size_bytes(gp_dtype dtype) { return rows[dtype].n_bits / 8; }

bool gp_dtype_is_complex(gp_dtype dtype) { return dtype == GP_C32 || dtype == GP_C64 || dtype == GP_C128; }

bool gp_dtype_is_f8(gp_dtype dtype) { return dtype >= GP_F8_E4M3FN && dtype <= GP_F8_E8M0FNU; }

bool gp_dtype_is_float(gp_dtype dtype)
{
    return dtype == GP_F32 || dtype == GP_F64 || dtype == GP_F16 || dtype == GP_BF16 || dtype == GP_LONGDOUBLE ||
           gp_dtype_is_f8(dtype);
}

bool gp_dtype_from_name(const char *name, gp_dtype *out)
{
    for (int i = 0; i < GP_N_DTYPES; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            *out = (gp_dtype)i;
            return true;
        }
    }
    return false;
}

bool gp_dtype_from_dlpack(int code, int bits, gp_dtype *out)
{
    for (int i = 0; i < GP_N_DTYPES; i++) {
        if (rows[i].dlpack_code == code && rows[i].n_bits == bits) {
            *out = (gp_dtype)i;
            return true;
        }
    }
    return false;
}
