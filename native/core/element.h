/* What one element gives: a real number of a complex one, a channel weighted by its alpha. The same on every device, to the bit. */
#ifndef GP_ELEMENT_H
#define GP_ELEMENT_H

#include "reductions.h"
#include "view.h"

/*
 * |z|. Squares of float32 parts are exact in float64, so that one rounding and a root are all there is, on every device, where
 * libraries' hypot differ in the last place. Parts whose squares float64 has no place for are hypot's.
 */
GP_FN double gp_magnitude(double re, double im)
{
    double square = re * re + im * im;
    return square >= 1e-290 && square <= 1e300 ? sqrt(square) : hypot(re, im);
}

/* A quarter of z has the same direction, and a length that no float64 is too small for. */
GP_FN double gp_unit_part(double re, double im, double part)
{
    double length = gp_magnitude(re, im);
    if (gp_class_of(length) != GP_HAS_FINITE)
        return part / 4 / gp_magnitude(re / 4, im / 4);
    return length > 0 ? part / length : 0.0;
}

/* One real number of a finite z. Adding +0.0 makes -0.0 parts +0.0, so that the angle of -1 - 0i is pi. */
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

/* RE and IM have the class of that part alone; every other component that of z as a whole. */
GP_FN double gp_component_of_complex(gp_component component, double re, double im)
{
    unsigned has = gp_class_of(re) | gp_class_of(im);
    if (component == GP_COMPONENT_RE || component == GP_COMPONENT_IM || has == GP_HAS_FINITE)
        return gp_component_value(component, re, im);
    return gp_mark_value(has & GP_HAS_NAN ? GP_HAS_NAN : GP_HAS_POS_INF);
}

/* Components of a real element are those of a complex number without an imaginary part. */
GP_FN double gp_component_of_real(gp_component component, double x)
{
    if (component == GP_COMPONENT_VALUE || component == GP_COMPONENT_RE)
        return x;
    if (component == GP_COMPONENT_IM)
        return 0.0;
    return gp_component_of_complex(component, x, 0.0);
}

/* alpha as a factor: bytes are 0..255, all else 0..1. */
GP_FN double gp_alpha_factor(double alpha, bool is_u8)
{
    double a = is_u8 ? alpha / 255.0 : alpha;
    return a < 0 ? 0.0 : a > 1 ? 1.0 : a;
}

#endif
