/* Memory of freed cells is given to the next ones that it fits, only once, and never to cells that it is too small or far too large for. */
#include "../../native/core/base/threads.h"
#include "../../native/cpu/cells_memory.h"
#include "../../native/cpu/cpu.h"
#include "check.h"

#include <string.h>

#define MB ((size_t)1 << 20)

static double *alloc(size_t n_bytes)
{
    double *memory;
    gp_error error;
    CHECK(gp_cells_memory_alloc(n_bytes, &memory, &error) == GP_OK && (uintptr_t)memory % 64 == 0);
    memset(memory, 0x5a, n_bytes); /* all of it is ours */
    return memory;
}

static void check_sizes(void)
{
    double *memory = alloc(4 * MB);
    gp_cells_memory_free(memory, 4 * MB);
    double *smaller = alloc(MB), *larger = alloc(5 * MB), *fits = alloc(3 * MB), *other = alloc(3 * MB);
    CHECK(fits == memory && smaller != memory && larger != memory && other != memory);
    gp_cells_memory_free(smaller, MB);
    gp_cells_memory_free(larger, 5 * MB);
    gp_cells_memory_free(fits, 3 * MB);
    gp_cells_memory_free(other, 3 * MB);
}

/* Cells of the backend come from there. */
static void check_cells(void)
{
    gp_cells cells;
    gp_error error;
    CHECK(gp_cpu_backend.cells_alloc(500, 900, (gp_device){GP_DL_CPU, 0}, &cells, &error) == GP_OK);
    double *memory = cells.data;
    gp_cpu_backend.cells_free(&cells);
    CHECK(cells.data == NULL);
    CHECK(gp_cpu_backend.cells_alloc(450, 901, (gp_device){GP_DL_CPU, 0}, &cells, &error) == GP_OK && cells.data == memory);
    gp_cpu_backend.cells_free(&cells);
}

/* Each thread fills its block with its own number: another one in it would be of a block that two have. */
static gp_status use(void *context, int64_t piece, int worker, gp_error *error)
{
    size_t n_bytes = (1 + (size_t)piece % 7) * MB;
    double *memory = alloc(n_bytes);
    (void)context, (void)worker, (void)error;
    for (size_t i = 0; i < n_bytes / sizeof *memory; i++)
        memory[i] = (double)piece;
    for (size_t i = 0; i < n_bytes / sizeof *memory; i++)
        CHECK(memory[i] == (double)piece);
    gp_cells_memory_free(memory, n_bytes);
    return GP_OK;
}

int main(void)
{
    gp_error error;
    gp_cells_memory_free(NULL, MB);
    if (GP_KEEPS_CELLS) {
        check_sizes();
        check_cells();
    }
    CHECK(gp_threads_run(200, 4, use, NULL, &error) == GP_OK);
    return 0;
}
