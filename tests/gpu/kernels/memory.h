/* Device memory that the test program owns, as a user's tensor would: allocated by the driver, filled from the host. */
#ifndef GP_TEST_MEMORY_H
#define GP_TEST_MEMORY_H

#include "../../../native/cuda/cuda.h"

/* So many bytes of device 0. `from` NULL leaves them as they are. 0 bytes give address 0. */
gp_status memory_upload(const void *from, size_t n_bytes, CUdeviceptr *out, gp_error *error) GP_MUST_CHECK;

/* Every byte of a device block. */
gp_status memory_fill(CUdeviceptr block, unsigned char value, size_t n_bytes, gp_error *error) GP_MUST_CHECK;

/* Takes 0, too. */
void memory_free(CUdeviceptr block);

/* Cells on device 0 whose bytes are poison: what a reduction does not write is seen. */
gp_status memory_cells(int64_t n_rows, int64_t n_cols, gp_cells *out, gp_error *error) GP_MUST_CHECK;

/* Cells on device 0 with these values. */
gp_status memory_cells_from(const double *values, int64_t n_rows, int64_t n_cols, gp_cells *out, gp_error *error) GP_MUST_CHECK;

#endif
