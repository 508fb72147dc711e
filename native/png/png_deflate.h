/* Pixels to the compressed bytes of a PNG's IDAT chunks: rows packed, filtered and deflated in strips by several threads. */
#ifndef GP_PNG_DEFLATE_H
#define GP_PNG_DEFLATE_H

#include "bytes.h"
#include "png_rows.h"

#ifndef GP_HAVE_PNG
#define GP_HAVE_PNG 0 /* the build sets 1 where libpng and zlib were found */
#endif

/* The zlib stream in pieces: laid end to end they are what the IDAT chunks hold. */
typedef struct gp_png_strips {
    int64_t n_strips;
    gp_bytes *strips;
} gp_png_strips;

gp_status gp_png_deflate(const gp_png_picture *picture, const gp_png_layout *layout, int n_threads, gp_png_strips *out,
                         gp_error *error) GP_MUST_CHECK;
void gp_png_strips_free(gp_png_strips *strips);

#endif
