/* Values of elements that are computed: components of complex numbers, alpha as a factor, reduced hidden axes. */
#ifndef GP_ELEMENT_H
#define GP_ELEMENT_H

#include "../states/reductions.h"
#include "../states/scaled.h"
#include "view.h"

/* ---- complex elements ------------------------------------------------------------------------------------------------ */

/*
 * |z|. Squares of float32 parts are exact in float64, so that every device has the same result, while libraries' hypot differ in the
 * last place. hypot is used where squares are beyond the range of float64.
 */
#define GP_LEAST_SQUARE 1e-290
#define GP_LARGEST_SQUARE 1e300
GP_FN double gp_magnitude(double re, double im)
{
    double square = re * re + im * im;
    return square >= GP_LEAST_SQUARE && square <= GP_LARGEST_SQUARE ? sqrt(square) : hypot(re, im);
}

/* `part` divided by |z|; computed with a quarter of z, whose magnitude does not overflow. */
GP_FN double gp_unit_part(double re, double im, double part)
{
    double length = gp_magnitude(re, im);
    if (gp_class_of(length) != GP_HAS_FINITE)
        return part / 4 / gp_magnitude(re / 4, im / 4);
    return length > 0 ? part / length : 0.0;
}

/* A component, a real number, of a finite z. Adding +0.0 makes -0.0 parts +0.0, so that the angle of -1 - 0i is pi. */
GP_FN double gp_component_value(gp_component component, double re, double im)
{
    switch ((int)component) {
    case GP_COMPONENT_ABS: return gp_held(gp_magnitude(re, im));
    case GP_COMPONENT_ABS2: return gp_held(re * re + im * im);
    case GP_COMPONENT_PHASE: return atan2(im + 0.0, re + 0.0);
    case GP_COMPONENT_UNIT_RE: return gp_unit_part(re, im, re);
    case GP_COMPONENT_UNIT_IM: return gp_unit_part(re, im, im);
    case GP_COMPONENT_IM:
    case GP_COMPONENT_SUM_IM: return im;
    default: return re;
    }
}

/* RE and IM are not finite if that part is not; every other component if either part is not. */
GP_FN double gp_component_of_complex(gp_component component, double re, double im)
{
    unsigned has = gp_class_of(re) | gp_class_of(im);
    if (component == GP_COMPONENT_RE || component == GP_COMPONENT_IM || has == GP_HAS_FINITE)
        return gp_component_value(component, re, im);
    return gp_mark_value(has & GP_HAS_NAN ? GP_HAS_NAN : GP_HAS_POS_INF);
}

/* The component of a real element, as a complex number with imaginary part 0. */
GP_FN double gp_component_of_real(gp_component component, double x)
{
    if (component == GP_COMPONENT_VALUE || component == GP_COMPONENT_RE)
        return x;
    return component == GP_COMPONENT_IM ? 0.0 : gp_component_of_complex(component, x, 0.0);
}

/* The alpha of an opaque element. */
GP_FN double gp_opaque_alpha(gp_dtype dtype)
{
    switch (dtype) {
#define GP_CASE(NAME, ...) case GP_##NAME:
        GP_INTEGER_DTYPES(GP_CASE)
#undef GP_CASE
        return 255.0;
    default: return 1.0;
    }
}

/* A color channel's value times the opacity from 0 to 1; of the last channel alpha itself, as far as it is opacity. */
GP_FN double gp_weighted_by_alpha(const gp_plane *plane, double value, double alpha)
{
    double opaque = gp_opaque_alpha(plane->dtype);
    double clipped = alpha < 0 ? 0.0 : alpha > opaque ? opaque : alpha;
    return plane->channel + 1 < plane->n_channels ? value * (clipped / opaque) : clipped;
}

/* ---- hidden axes ----------------------------------------------------------------------------------------------------- */

/* Angles are averaged as unit vectors. If these cancel, or there are none, the mean is the angle 0 without a direction, stored as
 * -0.0, which a further average leaves out. */
GP_FN bool gp_is_angle(const gp_plane *plane)
{
    return plane->component == GP_COMPONENT_PHASE || plane->component == GP_COMPONENT_UNIT_RE ||
           plane->component == GP_COMPONENT_UNIT_IM;
}

GP_FN bool gp_has_no_direction(double angle) { return gp_bits_from_f64(angle) == 0x8000000000000000u; }

/* The operation of a stage; for a hue always the sum, whatever reduces the amplitude. */
GP_FN gp_hidden_op gp_hidden_op_of(const gp_plane *plane, int stage)
{
    bool is_hue = plane->component == GP_COMPONENT_SUM_RE || plane->component == GP_COMPONENT_SUM_IM;
    return is_hue ? GP_HIDDEN_SUM : plane->stage_ops[stage];
}

/* The initial value of a stage's sum. */
GP_FN double gp_hidden_start(gp_hidden_op op)
{
    bool is_extreme = op == GP_HIDDEN_MAX || op == GP_HIDDEN_MIN;
    return is_extreme ? gp_mark_value(op == GP_HIDDEN_MIN ? GP_HAS_POS_INF : GP_HAS_NEG_INF) : 0.0;
}

/* The result of a stage, which may be beyond float64. For a standard deviation `sum` and `sum2` are of deviations from a first value,
 * for a norm of squares and of magnitudes, for directions the parts of a vector. Each element counts n_repeats times. */
GP_FN double gp_hidden_value(gp_hidden_op op, bool is_direction, double n_repeats, double count, double sum, double sum2)
{
    if (is_direction)
        return sum == 0 && sum2 == 0 ? -0.0 : atan2(sum2 + 0.0, sum + 0.0);
    switch ((int)op) {
    case GP_HIDDEN_MEAN: return sum / count;
    case GP_HIDDEN_NORM: return sqrt(sum * n_repeats);
    case GP_HIDDEN_STD: return sqrt(gp_held_spread((sum2 - sum * (sum / count)) / count)); /* beyond float64 where sum2 is */
    case GP_HIDDEN_SUM: return sum * n_repeats;
    default: return sum;
    }
}

/* The scales (GP_NEEDS_*) that the elements of a stage need for this result of it. */
GP_FN unsigned gp_hidden_needs(gp_hidden_op op, double value, double first, double sum, double sum2)
{
    if (gp_class_of(value) != GP_HAS_FINITE)
        return GP_NEEDS_DOWN;
    if (op == GP_HIDDEN_NORM)
        return value < GP_LEAST_SPREAD && sum2 != 0 ? GP_NEEDS_UP : 0;
    return op == GP_HIDDEN_STD ? gp_moments_need(first != 0 ? first : sum, value * value) : 0;
}

/* The same as an element: it is finite, as those are that it was made of. */
GP_FN double gp_hidden_finish(gp_hidden_op op, bool is_direction, double n_repeats, double count, double sum, double sum2)
{
    double value = gp_hidden_value(op, is_direction, n_repeats, count, sum, sum2);
    return is_direction ? value : gp_held(value);
}

#endif
