/* gp_moment: a transformation of weights to powers, whose sums are moments. */
#ifndef GP_MOMENT_H
#define GP_MOMENT_H

#include "../base/portable.h"

/* A weight w counts as w if power is 0, else as (w - center) * scale to this power. */
typedef struct gp_moment {
    int power;
    double center, scale;
} gp_moment;

GP_FN double gp_moment_of(const gp_moment *moment, double w)
{
    double away = (w - moment->center) * moment->scale, product = away;
    for (int i = 1; i < moment->power; i++)
        product *= away;
    return moment->power == 0 ? w : product;
}

#endif
