/* Smallest and largest: comparisons of every value type, and exact comparisons of elements whose values are rounded. */
#ifndef GP_EXTREMES_CUH
#define GP_EXTREMES_CUH

#include "elements.cuh"
#include "../../core/base/ordered.h"

GP_DEVICE float gp_smaller(float a, float b) { return fminf(a, b); }
GP_DEVICE float gp_larger(float a, float b) { return fmaxf(a, b); }
GP_DEVICE double gp_smaller(double a, double b) { return a < b ? a : b; }
GP_DEVICE double gp_larger(double a, double b) { return a > b ? a : b; }
GP_DEVICE int gp_smaller(int a, int b) { return a < b ? a : b; }
GP_DEVICE int gp_larger(int a, int b) { return a > b ? a : b; }
GP_DEVICE int64_t gp_smaller(int64_t a, int64_t b) { return a < b ? a : b; }
GP_DEVICE int64_t gp_larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* The same, but NaN where either is: then the smallest and the largest of many tell whether all were finite. */
#if !defined(GP_EMULATED) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
GP_DEVICE float gp_smaller_or_nan(float a, float b)
{
    float least;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(least) : "f"(a), "f"(b));
    return least;
}
GP_DEVICE float gp_larger_or_nan(float a, float b)
{
    float most;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(most) : "f"(a), "f"(b));
    return most;
}
#else
GP_DEVICE float gp_smaller_or_nan(float a, float b) { return a < b || a != a ? a : b; }
GP_DEVICE float gp_larger_or_nan(float a, float b) { return a > b || a != a ? a : b; }
#endif
GP_DEVICE double gp_smaller_or_nan(double a, double b) { return a < b || a != a ? a : b; }
GP_DEVICE double gp_larger_or_nan(double a, double b) { return a > b || a != a ? a : b; }
GP_DEVICE int gp_smaller_or_nan(int a, int b) { return a < b ? a : b; }
GP_DEVICE int gp_larger_or_nan(int a, int b) { return a > b ? a : b; }
GP_DEVICE int64_t gp_smaller_or_nan(int64_t a, int64_t b) { return a < b ? a : b; }
GP_DEVICE int64_t gp_larger_or_nan(int64_t a, int64_t b) { return a > b ? a : b; }

/* What no value is above, and what none is below: where extremes start. */
GP_DEVICE void gp_start_extremes(float *lo, float *hi)
{
    *lo = gp_f32_from_bits(0x7f800000u), *hi = gp_f32_from_bits(0xff800000u);
}
GP_DEVICE void gp_start_extremes(double *lo, double *hi)
{
    *lo = gp_f64_from_bits(0x7ff0000000000000u), *hi = gp_f64_from_bits(0xfff0000000000000u);
}
GP_DEVICE void gp_start_extremes(int *lo, int *hi) { *lo = 0x7fffffff, *hi = -0x7fffffff - 1; }
GP_DEVICE void gp_start_extremes(int64_t *lo, int64_t *hi) { *lo = 0x7fffffffffffffff, *hi = -0x7fffffffffffffff - 1; }

/* ---- exact order ---------------------------------------------------------------------------------------------------- */

/*
 * What elements of a class are compared by. Values are, but where float64 has rounded them: 64-bit integers are compared as they
 * are stored, with the sign turned round where there is none; so are 32-bit ones, in half the registers. Elements of ONE and ANY
 * are compared by the order of float64 as an integer, or of 64-bit integers by themselves.
 */
template <class ELEMS> struct gp_exact_of {
    typedef typename ELEMS::value type;
    GP_DEVICE type from(typename ELEMS::stored, type value, int) { return value; }
};

template <> struct gp_exact_of<gp_elems_I32> {
    typedef int type;
    GP_DEVICE type from(uint32_t stored, int64_t, int dtype) { return (int)(stored ^ (dtype == GP_U32 ? 0x80000000u : 0u)); }
};

template <> struct gp_exact_of<gp_elems_I64> {
    typedef int64_t type;
    GP_DEVICE type from(uint64_t stored, double, int dtype)
    {
        return (int64_t)(stored ^ (dtype == GP_U64 ? 0x8000000000000000u : 0u));
    }
};

template <> struct gp_exact_of<gp_elems_ANY> {
    typedef int64_t type;
    GP_DEVICE type from(uint64_t, double value, int) { return gp_order_of_f64(value); }
};
template <> struct gp_exact_of<gp_elems_ONE> : gp_exact_of<gp_elems_ANY> {};

typedef gp_exact_of<gp_elems>::type gp_exact;

/* What extremes of cells are kept in: values, but gp_order where float64 has rounded elements. */
template <class ELEMS> struct gp_extreme_of {
    typedef typename ELEMS::value type;
    static const bool is_order = false;
};
template <> struct gp_extreme_of<gp_elems_I64> {
    typedef gp_order type;
    static const bool is_order = true;
};
template <> struct gp_extreme_of<gp_elems_ANY> {
    typedef gp_order type;
    static const bool is_order = true;
};
template <> struct gp_extreme_of<gp_elems_ONE> : gp_extreme_of<gp_elems_ANY> {};

typedef gp_extreme_of<gp_elems>::type gp_extreme;

GP_DEVICE gp_order gp_order_of_extreme(gp_extreme x)
{
    return gp_extreme_of<gp_elems>::is_order ? (gp_order)x : gp_order_of_f64((double)x);
}
GP_DEVICE gp_extreme gp_extreme_of_order(gp_order order)
{
    return gp_extreme_of<gp_elems>::is_order ? (gp_extreme)order : (gp_extreme)gp_f64_of_order(order);
}

/* A stored element, whose value is given. */
GP_DEVICE gp_extreme gp_extreme_from(gp_stored stored, gp_value value, int dtype)
{
    return gp_extreme_of<gp_elems>::is_order ? (gp_extreme)gp_exact_of<gp_elems>::from(stored, value, dtype) : (gp_extreme)value;
}

/* True where the slow loader has rounded integers of 64 bits. */
GP_DEVICE bool gp_is_rounded(const gp_plane &plane) { return gp_plane_stored_order(&plane) != GP_ORDER_F64; }

/* Such an integer as it is compared. */
GP_DEVICE_CALL int64_t gp_exact_integer(const gp_plane &plane, int64_t row, int64_t col)
{
    const char *at = gp_address(plane, row, col);
    if (plane.component == GP_COMPONENT_CHANNEL)
        at += plane.channel * plane.channel_stride_bytes;
    return gp_exact_of<gp_elems_I64>::from(gp_read_stored<uint64_t>(at, plane.is_byteswapped), 0.0, (int)plane.dtype);
}

/* An element of the plane for extremes of cells. */
GP_DEVICE gp_extreme gp_extreme_at(const gp_plane &plane, int64_t row, int64_t col, gp_value value)
{
    if (gp_elems::is_typed)
        return gp_extreme_from(*(const gp_stored *)gp_address(plane, row, col), value, (int)plane.dtype);
    return gp_plane_order_type(&plane) == GP_ORDER_F64 ? gp_extreme_from(0, value, (int)plane.dtype)
                                                       : (gp_extreme)gp_exact_integer(plane, row, col);
}

/* The elements of a run, the first of which is at (row, col), as they are compared. */
GP_DEVICE void gp_run_exact(const gp_plane &plane, const gp_run &run, const gp_value *values, int64_t row, int64_t col,
                            gp_exact *out)
{
    GP_UNROLL
    for (int k = 0; k < GP_RUN_ELEMS; k++) {
        gp_stored stored;
        gp_pick(run.words, k, &stored);
        out[k] = gp_exact_of<gp_elems>::from(stored, values[k], (int)plane.dtype);
    }
    if (!gp_elems::is_typed && gp_is_rounded(plane)) /* whose runs are one element */
        out[0] = (gp_exact)gp_exact_integer(plane, row, col);
}

/* The same order for all classes: integers themselves, all else gp_order. */
GP_DEVICE gp_order gp_exact_order(float x) { return gp_order_of_f64((double)x); }
GP_DEVICE gp_order gp_exact_order(double x) { return gp_order_of_f64(x); }
GP_DEVICE gp_order gp_exact_order(int x) { return x; }
GP_DEVICE gp_order gp_exact_order(int64_t x) { return x; }

/* The other way round. */
GP_DEVICE void gp_exact_from_order(gp_order order, float *out) { *out = (float)gp_f64_of_order(order); }
GP_DEVICE void gp_exact_from_order(gp_order order, double *out) { *out = gp_f64_of_order(order); }
GP_DEVICE void gp_exact_from_order(gp_order order, int *out) { *out = (int)order; }
GP_DEVICE void gp_exact_from_order(gp_order order, int64_t *out) { *out = order; }

#endif
