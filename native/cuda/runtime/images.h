/* The kernels inside the library: for every module its source and, if the build compiled it, its images. */
#ifndef GP_CUDA_IMAGES_H
#define GP_CUDA_IMAGES_H

typedef struct gp_cuda_image {
    const char *module;              /* "reduce_F32" */
    const char *define;              /* "GP_CLASS=F32", or empty */
    const char *source, *source_end; /* all headers inlined; ends with a zero */
    const char *pack, *pack_end;     /* image_pack.h; equal if the build made none: NVRTC compiles the source at first use */
} gp_cuda_image;

/* Made by cmake/cuda_images.cmake from the list of cmake/cuda_kernels.cmake; the last row has no name. */
extern const gp_cuda_image gp_cuda_images[];

#endif
