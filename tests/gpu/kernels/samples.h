/* Samples: planes of every dtype, layout and kind of element, once in host memory and once on the device. */
#ifndef GP_TEST_SAMPLES_H
#define GP_TEST_SAMPLES_H

#include "memory.h"

typedef enum sample_layout {
    LAYOUT_ROWS,      /* contiguous */
    LAYOUT_TURNED,    /* columns are the dense direction */
    LAYOUT_PITCHED,   /* gaps between rows, the first element anywhere */
    LAYOUT_REVERSED,  /* both strides negative */
    LAYOUT_STRIDED,   /* every second row, every third column */
    LAYOUT_BROADCAST, /* all rows are one */
    LAYOUT_UNALIGNED, /* elements at odd addresses */
    LAYOUT_SWAPPED,   /* the other byte order */
    LAYOUT_MASKED,    /* every fifth element is missing */
    N_LAYOUTS
} sample_layout;

/* Hidden axes of a kind: none, one with an operation (gp_hidden_op), or two of different operations. */
enum { HIDDEN_NONE = -1, HIDDEN_TWO_STAGES = GP_N_HIDDEN_OPS };

typedef struct sample_kind {
    gp_dtype dtype;
    sample_layout layout;
    gp_component component;
    int hidden;
    int n_channels, channel;
    bool is_alpha_weighted;
} sample_kind;

/* Element values are computed, not stored: rounding may differ between devices. */
bool sample_is_computed(const sample_kind *kind);

/* Whether elements are among the stored numbers, to the last bit: those of the largest and the smallest of a hidden axis are. */
bool sample_is_exact(const sample_kind *kind);

/* One of a few kinds that together take every path: one dtype of each class of elements, where they lie as usual. */
bool sample_is_typical(const sample_kind *kind);

/* All kinds there are; the list is static. */
int sample_kinds(const sample_kind **out);

/* "float16 strided", for messages. */
void sample_kind_name(const sample_kind *kind, char *out, int n_bytes);

typedef struct sample {
    gp_plane host, device;
    unsigned char *memory;
    uint8_t *mask;
    CUdeviceptr memory_dev, mask_dev;
    double *magnitudes; /* |element|, row-major, NaN where it is not finite */
    double most;        /* the largest magnitude, of what hidden axes were reduced from, too */
} sample;

/* Random elements, the same for the same seed; is_dirty: some are not finite, where the dtype has such. */
gp_status sample_make(const sample_kind *kind, int64_t n_rows, int64_t n_cols, bool is_dirty, uint64_t seed, sample *out,
                      gp_error *error) GP_MUST_CHECK;
void sample_free(sample *s);

/* The magnitudes as a host plane, from which the scale of rounding errors is reduced. */
gp_plane sample_magnitudes(const sample *s);

#endif
