/* A build with images: a GPU of one compute capability, named in the environment and as the first argument, runs the second. */
#include "cuda/runtime/device.h"
#include "cuda/runtime/module.h"
#include "cuda/runtime/image_pack.h"
#include "check.h"
#include "emulated.h"

#include <stdlib.h>
#include <string.h>

static int64_t (*list_images)(char *out, int64_t n_bytes);

/* Loads a module by asking for a kernel that it does not have. */
static void load_module(const char *module)
{
    gp_cuda_device *device = NULL;
    gp_error error = {0};
    char args[256] = "", words[128];
    CHECK(gp_cuda_enter(0, &device, &error) == GP_OK);
    CHECK(gp_cuda_launch(device, module, "nonsense", 1, 1, 1, 32, args, &error) == GP_ERR_DEVICE);
    gp_cuda_leave(device);
    snprintf(words, sizeof words, "there is no kernel nonsense");
    if (strstr(error.message, words) == NULL)
        fprintf(stderr, "%s\n", error.message);
    CHECK(strstr(error.message, words) != NULL);
}

static void check_images(const char *arch)
{
    char text[8192], want[128];
    list_images(text, sizeof text);
    const char *at = text;
    for (const gp_cuda_image *image = gp_cuda_images; image->module != NULL; image++) {
        int n = snprintf(want, sizeof want, "%s %s\n", image->module, arch);
        if (strncmp(at, want, (size_t)n) != 0)
            fprintf(stderr, "not %s but %.40s\n", want, at);
        CHECK(strncmp(at, want, (size_t)n) == 0);
        at += n;
    }
    CHECK(*at == '\0');
}

/* Every module has an image for every architecture that the compiler knows. */
static void check_complete(void)
{
    for (const gp_cuda_image *image = gp_cuda_images; image->module != NULL; image++) {
        const gp_cuda_pack_head *pack = gp_cuda_pack_of(image);
        CHECK(pack != NULL && pack->nvrtc_version == 12040 && pack->n_images == 4);
    }
    char archs[256];
    int version = 0;
    gp_cuda_images_built(archs, sizeof archs, &version);
    CHECK(version == 12040 && strcmp(archs, "sm_75 sm_80 sm_90 compute_75") == 0);
}

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    bool is_built = strcmp(argv[2], "none") != 0;
    char said[32], at_first_use[32];
    list_images = emulated()->images;
    check_complete();
    gp_cuda_image_for(atoi(argv[1]), 13000, said, sizeof said);
    CHECK(strcmp(said, is_built ? argv[2] : "") == 0);
    for (const gp_cuda_image *image = gp_cuda_images; image->module != NULL; image++)
        load_module(image->module);
    snprintf(at_first_use, sizeof at_first_use, "sm_%s", argv[1]);
    check_images(is_built ? argv[2] : at_first_use);
    CHECK(strcmp(gp_cuda_kernels_kind(), is_built ? "built" : "nvrtc") == 0);
    emulated_check_clean();
    return 0;
}
