/* Finds the emulator's functions by name in the library that GPUPLOT_CUDA_DRIVER names; a real driver has none of them. */
#include "emulation.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int64_t text_function(char *out, int64_t n_bytes);
typedef void mode_function(int mode, uint64_t seed);

/* The address of a function, NULL where the driver isn't emulated. ISO C has no cast from objects to functions. */
static void find(const char *name, void *function)
{
    const char *path = getenv("GPUPLOT_CUDA_DRIVER");
    void *library = path != NULL && *path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;
    void *symbol = library != NULL ? dlsym(library, name) : NULL;
    memcpy(function, &symbol, sizeof symbol);
    if (library != NULL)
        dlclose(library); /* the driver's table holds it, too */
}

bool emulation_is_on(void)
{
    mode_function *set_order;
    find("emu_set_order", &set_order);
    return set_order != NULL;
}

void emulation_set(int order, int pace)
{
    mode_function *set_order, *set_streams;
    find("emu_set_order", &set_order);
    find("emu_set_streams", &set_streams);
    if (set_order != NULL && set_streams != NULL)
        set_order(order, 1), set_streams(pace, 1);
}

/* The text that such a function gives, to be freed; NULL where there is none. */
static char *text_of(const char *name)
{
    text_function *give;
    find(name, &give);
    int64_t n_bytes = give != NULL ? give(NULL, 0) : 0;
    char *text = n_bytes > 0 ? malloc((size_t)n_bytes) : NULL;
    if (text != NULL)
        give(text, n_bytes);
    return text;
}

static int print_lines(const char *what, char *text)
{
    int n = 0;
    for (char *line = text ? strtok(text, "\n") : NULL; line != NULL; line = strtok(NULL, "\n"), n++)
        fprintf(stderr, "%s: %s\n", what, line);
    free(text);
    return n;
}

int emulation_problems(void)
{
    return print_lines("the emulated device found", text_of("emu_problems")) + print_lines("not freed", text_of("emu_leaks"));
}

/* A line is "name module ...". The module "planted" is of the emulator's own tests. */
int emulation_missing(bool (*was_launched)(const char *kernel))
{
    char *text = text_of("emu_kernels");
    int n = 0;
    for (char *line = text ? strtok(text, "\n") : NULL; line != NULL; line = strtok(NULL, "\n")) {
        char name[128], module[128];
        if (sscanf(line, "%127s %127s", name, module) == 2 && strcmp(module, "planted") != 0 && !was_launched(name))
            fprintf(stderr, "never launched: %s\n", name), n++;
    }
    free(text);
    return n;
}
