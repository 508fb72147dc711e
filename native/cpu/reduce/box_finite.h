/* The finite elements of a box alone: their sums, moments and extremes. */
#ifndef GP_BOX_FINITE_H
#define GP_BOX_FINITE_H

#include "box.h"

/* To states, which say what kinds of element there are. */
void gp_box_fold_finite_sums(const gp_box *box, gp_states out);
void gp_box_fold_finite_moments(const gp_box *box, gp_states out);
void gp_box_fold_finite_extremes(const gp_box *box, gp_states out);

/* Sums and weights of cells, made of those of columns, which stay in columns 0 and 1 of the scratch. */
void gp_box_find_finite_sums(const gp_box *box, double *sums, double *weights);

/* After that: means of cells, and the sums of their squared deviations, which may take the place of the sums. */
void gp_box_find_finite_moments(const gp_box *box, const double *sums, const double *weights, double *means, double *squares);

#endif
