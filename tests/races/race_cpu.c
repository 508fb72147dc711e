/* Draws of one tensor in host memory by several threads at once, which the pool serves, and cells that other threads free. */
#include "at_once.h"
#include "check.h"
#include "draws.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { N_CALLERS = 4, N_ROUNDS = 2, N_ROWS = 600, N_COLS = 900 };

typedef struct scene {
    gp_tensor tensor;
    draw_results wanted;
    const float *wanted_array;
    _Atomic(gp_cells *) mailbox; /* cells of one thread, to be freed by another */
} scene;

static void fill(float *values)
{
    uint32_t state = 1;
    for (int i = 0; i < N_ROWS * N_COLS; i++) {
        state = state * 1664525u + 1013904223u;
        values[i] = (float)(state >> 8) / (1 << 23) * 3 - 3;
    }
    values[123456] = NAN, values[234567] = INFINITY;
}

static void free_mail(scene *s, gp_cells *next)
{
    gp_cells *before = atomic_exchange(&s->mailbox, next);
    if (before != NULL)
        gp_cpu_backend.cells_free(before);
    free(before);
}

static void draw(scene *s, gp_agg agg, draw_results *out, float *array)
{
    gp_plane plane = draw_plane(&s->tensor);
    gp_cells *cells = malloc(sizeof *cells);
    CHECK(cells != NULL);
    *cells = draw_cells(&gp_cpu_backend, &plane, agg);
    draw_shade(&gp_cpu_backend, cells, out);
    draw_cells_of_cells(&gp_cpu_backend, cells, out);
    draw_elements_into_cells(&gp_cpu_backend, &plane, out);
    draw_facts(&gp_cpu_backend, &plane, true, out);
    draw_series(&gp_cpu_backend, &plane, out);
    draw_slices(&gp_cpu_backend, &s->tensor, true, out);
    draw_elements(&gp_cpu_backend, &plane, array);
    CHECK(memcmp(array, s->tensor.data, sizeof(float) * N_ROWS * N_COLS) == 0);
    draw_array(&gp_cpu_backend, &s->tensor, array);
    free_mail(s, cells);
}

static void draw_often(void *context, int k)
{
    scene *s = context;
    draw_results *got = calloc(1, sizeof *got);
    float *array = malloc(sizeof(float) * N_ROWS * N_COLS);
    CHECK(got != NULL && array != NULL);
    for (int i = 0; i < N_ROUNDS; i++) {
        draw(s, (gp_agg)((k + i) % GP_N_AGGS), got, array); /* whatever comes of it */
        draw(s, GP_AGG_MEAN, got, array);
        CHECK(memcmp(got, &s->wanted, sizeof *got) == 0);
        CHECK(memcmp(array, s->wanted_array, sizeof(float) * N_ROWS * N_COLS) == 0);
    }
    free(got);
    free(array);
}

int main(void)
{
    static scene s;
    float *values = malloc(sizeof(float) * N_ROWS * N_COLS), *array = malloc(sizeof(float) * N_ROWS * N_COLS);
    CHECK(values != NULL && array != NULL);
    fill(values);
    s.tensor = (gp_tensor){.data = values,
                           .dtype = GP_F32,
                           .device = {GP_DL_CPU, 0},
                           .n_dims = 2,
                           .shape = {N_ROWS, N_COLS},
                           .strides_bytes = {N_COLS * sizeof(float), sizeof(float)}};
    gp_threads_limit(4);
    draw(&s, GP_AGG_MEAN, &s.wanted, array);
    s.wanted_array = array;
    CHECK(s.wanted.n_finite == N_ROWS * N_COLS - 2 && s.wanted.found == 123456);
    run_at_once(N_CALLERS, draw_often, &s);
    free_mail(&s, NULL);
    free(values);
    free(array);
    return 0;
}
