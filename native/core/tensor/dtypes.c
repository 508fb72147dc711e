/* Facts about dtypes, from the table. */
#include "dtypes.h"

typedef struct dtype_row {
    const char *name;
    gp_kind kind;
    int dlpack_code, n_bits, mantissa_bits, bias;
    gp_specials specials;
} dtype_row;

static const dtype_row rows[GP_N_DTYPES] = {
#define DTYPE_ROW(NAME, storage, KIND, name, code, bits, mantissa_bits, bias, SPECIALS)                                          \
    [GP_##NAME] = {name, GP_KIND_##KIND, code, bits, mantissa_bits, bias, GP_SPECIALS_##SPECIALS},
    GP_DTYPES(DTYPE_ROW)
#undef DTYPE_ROW
};

const char *gp_dtype_name(gp_dtype dtype) { return rows[dtype].name; }

gp_kind gp_dtype_kind(gp_dtype dtype) { return rows[dtype].kind; }

int gp_dtype_size_bytes(gp_dtype dtype) { return rows[dtype].n_bits / 8; }

bool gp_dtype_is_complex(gp_dtype dtype) { return dtype == GP_C32 || dtype == GP_C64 || dtype == GP_C128; }

gp_dtype gp_dtype_of_part(gp_dtype dtype) { return dtype == GP_C32 ? GP_F16 : dtype == GP_C64 ? GP_F32 : GP_F64; }

bool gp_dtype_is_float(gp_dtype dtype) { return rows[dtype].kind >= GP_KIND_F && !gp_dtype_is_complex(dtype); }

bool gp_dtype_is_f8(gp_dtype dtype) { return rows[dtype].kind == GP_KIND_F && rows[dtype].n_bits == 8; }

int gp_dtype_mantissa_bits(gp_dtype dtype) { return rows[dtype].mantissa_bits; }

double gp_smallest_normal(gp_dtype dtype)
{
    bool has_subnormals = rows[dtype].specials != GP_SPECIALS_NONE && rows[dtype].specials != GP_SPECIALS_POWER;
    return has_subnormals ? gp_f64_from_bits((uint64_t)(1024 - rows[dtype].bias) << 52) : 0.0;
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
