/* The angle of each cell from the cells of its real and its imaginary part; marks and empty cells stay what they are. */
#include "../core/states/reductions.h"
#include "../core/base/threads.h"
#include "cpu.h"

enum { CELLS_PER_PIECE = 1 << 14 };

typedef struct angle_job {
    const double *real, *imaginary;
    double *out;
    int64_t n_cells;
} angle_job;

static gp_status angle_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    const angle_job *job = context;
    int64_t first = piece * CELLS_PER_PIECE, stop = first + CELLS_PER_PIECE;
    (void)worker, (void)error;
    if (stop > job->n_cells)
        stop = job->n_cells;
    for (int64_t i = first; i < stop; i++) {
        double real = job->real[i];
        /* A zero cell is +0.0, so a negative number has +pi; a tiny angle below zero becomes +0.0 like every zero. */
        job->out[i] = gp_class_of(real) == GP_HAS_FINITE ? atan2(job->imaginary[i], real) + 0.0 : real;
    }
    return GP_OK;
}

gp_status gp_cpu_angle(const gp_cells *real, const gp_cells *imaginary, gp_cells *out, gp_error *error)
{
    angle_job job = {real->data, imaginary->data, out->data, real->n_rows * real->n_cols};
    int64_t n_pieces = (job.n_cells + CELLS_PER_PIECE - 1) / CELLS_PER_PIECE;
    /* An arc tangent takes about as long as ten loads of an element. */
    return gp_threads_run(n_pieces, gp_threads_for(8 * job.n_cells), angle_piece, &job, error);
}
