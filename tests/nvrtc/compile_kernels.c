/* Compiles embedded kernel modules by a real libnvrtc, the way gpuplot does at first use, and prints what came of each. */
#define _GNU_SOURCE
#include "cuda/runtime/images.h"
#include "cuda/runtime/nvrtc.h"
#include "../../native/core/base/progress.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * usage: compile_kernels --list | [--source FILE] CASE...   (GPUPLOT_NVRTC names the library)
 * A CASE is MODULE:CAPABILITY, such as reduce_F32:90. With --source the module's text is that of FILE. Each case is a line
 * on stdout: MODULE sm_90 SECONDS BYTES; what the compiler said comes before it, each line behind "log: ". The status is 1
 * where a module was not compiled to machine code of that architecture, or where the compiler said anything.
 *
 * The library's functions are those that native/cuda/nvrtc.c finds, but for compiling, which is sent through this program:
 * gpuplot itself reads the log only where compiling failed.
 */
typedef void *nvrtc_program;
static int (*compile_program)(nvrtc_program program, int n_options, const char *const *options);
static int (*get_log_size)(nvrtc_program program, size_t *n_bytes);
static int (*get_log)(nvrtc_program program, char *log);
static char arch[32];
static bool has_log;

static void print_log(nvrtc_program program)
{
    size_t n_bytes = 0;
    char *log = get_log_size(program, &n_bytes) == 0 ? calloc(n_bytes + 1, 1) : NULL;
    if (log != NULL && get_log(program, log) == 0) {
        for (char *line = strtok(log, "\n"); line != NULL; line = strtok(NULL, "\n")) {
            has_log = true;
            printf("log: %s\n", line);
        }
    }
    free(log);
}

static int compile_and_tell(nvrtc_program program, int n_options, const char *const *options)
{
    static const char name[] = "--gpu-architecture=";
    arch[0] = '\0';
    for (int i = 0; i < n_options; i++) {
        if (strncmp(options[i], name, sizeof name - 1) == 0)
            snprintf(arch, sizeof arch, "%s", options[i] + sizeof name - 1);
    }
    int code = compile_program(program, n_options, options);
    print_log(program);
    return code;
}

/* The linker sends gpuplot's dlsym here. */
void *__real_dlsym(void *library, const char *name);
void *__wrap_dlsym(void *library, const char *name);

static void look_up(void *library, const char *name, void *function, size_t n_bytes)
{
    void *symbol = __real_dlsym(library, name);
    memcpy(function, &symbol, n_bytes);
}

void *__wrap_dlsym(void *library, const char *name)
{
    int (*wrapper)(nvrtc_program, int, const char *const *) = compile_and_tell;
    void *symbol = __real_dlsym(library, name);
    if (symbol == NULL || strcmp(name, "nvrtcCompileProgram") != 0)
        return symbol;
    look_up(library, name, &compile_program, sizeof compile_program);
    look_up(library, "nvrtcGetProgramLogSize", &get_log_size, sizeof get_log_size);
    look_up(library, "nvrtcGetProgramLog", &get_log, sizeof get_log);
    memcpy(&symbol, &wrapper, sizeof symbol);
    return symbol;
}

/* ---- cases ----------------------------------------------------------------------------------------------------------- */

static const gp_cuda_image *find_image(const char *module, size_t n_letters)
{
    for (const gp_cuda_image *image = gp_cuda_images; image->module != NULL; image++) {
        if (strlen(image->module) == n_letters && strncmp(image->module, module, n_letters) == 0)
            return image;
    }
    return NULL;
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 1 << 20);
    bool is_read = file != NULL && text != NULL && fread(text, 1, (1 << 20) - 1, file) > 0;
    if (file != NULL)
        fclose(file);
    if (is_read)
        return text;
    free(text);
    return NULL;
}

static bool run_case(const char *text, const char *source)
{
    const char *colon = strchr(text, ':');
    const gp_cuda_image *named = colon != NULL ? find_image(text, (size_t)(colon - text)) : NULL;
    gp_cuda_binary binary = {0};
    gp_error error = {0};
    char wanted[32];
    if (named == NULL) {
        fprintf(stderr, "%s is not a MODULE:CAPABILITY of this build: see --list\n", text);
        return false;
    }
    gp_cuda_image image = *named;
    if (source != NULL) {
        image.source = source;
        image.source_end = source + strlen(source);
    }
    has_log = false;
    double start = gp_seconds_now();
    gp_status status = gp_cuda_compile(&image, atoi(colon + 1), 13000, false, &binary, &error);
    snprintf(wanted, sizeof wanted, "sm_%d", atoi(colon + 1));
    bool is_ok = status == GP_OK && !has_log && strcmp(arch, wanted) == 0;
    printf("%s %s %.3f %zu%s%s\n", image.module, arch, gp_seconds_now() - start, binary.n_bytes, status != GP_OK ? " " : "",
           status != GP_OK ? error.message : "");
    fflush(stdout);
    gp_cuda_binary_free(&binary);
    return is_ok;
}

int main(int argc, char **argv)
{
    int first = argc > 2 && strcmp(argv[1], "--source") == 0 ? 3 : 1;
    char *source = first == 3 ? read_text(argv[2]) : NULL;
    bool is_ok = first == 1 || source != NULL;
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (const gp_cuda_image *image = gp_cuda_images; image->module != NULL; image++)
            puts(image->module);
        return 0;
    }
    for (int i = first; i < argc && (first == 1 || source != NULL); i++)
        is_ok &= run_case(argv[i], source);
    free(source);
    return is_ok ? 0 : 1;
}
