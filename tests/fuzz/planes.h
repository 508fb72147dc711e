/* gp_scene: a tensor in memory of just the right size, a view of it, and what the view shows by the slowest way there is. */
#ifndef GP_FUZZ_PLANES_H
#define GP_FUZZ_PLANES_H

#include "layouts.h"
#include "../../native/core/tensor/view.h"

typedef struct gp_scene {
    char *memory, *mask_memory;
    gp_tensor tensor;
    gp_axis_use uses[MAX_LAYOUT_DIMS];
    gp_component component;
    int n_stages;
    gp_hidden_op ops[GP_N_HIDDEN_OPS];
    gp_plane plane; /* by gp_plane_from, with what its caller fills in */
    /* n_rows x n_cols elements of the plane: the value, and the magnitude of what it was computed from, whose rounding it has. */
    double *values, *scales;
    bool is_exact; /* values are elements as they are stored */
    bool is_overflown; /* some elements are so large that computing with them may overflow: only the exact has to be right */
} gp_scene;

/* False, with nothing to free, where the input describes no view; gp_plane_from has then said so as well. */
bool input_scene(gp_input *input, gp_scene *out);
void scene_free(gp_scene *scene);

/* Elements start, start + step, ... of an axis of n_elems: all that there are, or some of them. */
void input_range(gp_input *input, int64_t n_elems, gp_axis_use *use);

/* The tensor alone: any dtype, layout, byte order and mask, one that may be inverted. */
void input_tensor(gp_input *input, gp_scene *out);

/* The value of the element at `index`, one number per axis, gp_masked_value() where it is masked; of complex ones the component. */
double scene_value(const gp_scene *scene, const int64_t *index, double *scale);

/* Whether got is want: both not finite in the same way, or no further away than the tolerance. */
bool is_as_good_as(double got, double want, double tolerance);

#endif
