/* gp_style: how a cell value becomes a color - norm, limits, color table and the colors of marks. */
#ifndef GP_STYLE_H
#define GP_STYLE_H

#include "../base/portable.h"

/* X(NAME, name that users see, number of parameters) */
#define GP_NORMS(X)                                                                                                              \
    X(LINEAR, "linear", 0)                                                                                                       \
    X(LOG, "log", 0)                                                                                                             \
    X(SYMLOG, "symlog", 3)       /* linthresh, linscale, base */                                                                 \
    X(ASINH, "asinh", 1)         /* linear_width */                                                                              \
    X(POWER, "power", 1)         /* gamma */                                                                                     \
    X(CBRT, "cbrt", 0)                                                                                                           \
    X(TWO_SLOPE, "two_slope", 1) /* vcenter */                                                                                   \
    X(BOUNDARY, "boundary", 0)   /* uses boundaries and boundary_indices */                                                      \
    X(EQ_HIST, "eq_hist", 0)     /* ranks among the cells in [vmin, vmax] */

typedef enum gp_norm {
#define GP_NORM_ID(NAME, name, n_params) GP_NORM_##NAME,
    GP_NORMS(GP_NORM_ID)
#undef GP_NORM_ID
        GP_N_NORMS
} gp_norm;

typedef struct gp_style {
    gp_norm norm;
    double vmin, vmax;
    double params[3];
    const double *boundaries; /* n_boundaries ascending values, n_boundaries - 1 regions */
    const int32_t *boundary_indices; /* table index of each region */
    int n_boundaries;
    const uint8_t *table;     /* n_colors + 3 RGBA rows: the colors, then under, over, bad (the norm is not defined) */
    int n_colors;
    uint8_t nan_rgba[4], pos_inf_rgba[4], neg_inf_rgba[4], masked_rgba[4]; /* the colors of marked cells */
    float alpha;              /* multiplies every alpha byte, in float32, truncated; 1 changes nothing */
    const float *alpha_cells; /* NULL, or one factor per cell in place of alpha, row-major in host memory */
} gp_style;

/* Float channels (0..1 after scale and offset) to bytes. */
typedef struct gp_rgb_style {
    double scale[4], offset[4];  /* applied to each channel's cell before clipping to 0..1; alpha's are 1 and 0 (1/255) */
    bool is_rounded;             /* byte = floor(255 c + 1/2); else trunc(255 c) */
    bool is_f32;                 /* the product 255 c is rounded to float32, as matplotlib does for float32 images */
    bool is_alpha_weighted;      /* color channels hold color * alpha and are divided by the alpha cell */
    uint8_t nan_rgba[4], pos_inf_rgba[4], neg_inf_rgba[4];
    float alpha;                 /* as in gp_style */
    const float *alpha_cells;
    bool is_alpha_replaced;      /* RGB without an alpha channel: the artist's alpha is the pixels' alpha */
} gp_rgb_style;

#endif
