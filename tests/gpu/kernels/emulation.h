/* The emulated device's own functions, where that is the driver: orders of threads, paces of streams, what it found wrong. */
#ifndef GP_TEST_EMULATION_H
#define GP_TEST_EMULATION_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the driver is the emulated one. To be asked after the driver was loaded. */
bool emulation_is_on(void);

/* 0 forward, 1 reverse, 2 random threads, 3 all of these compared; 0 eager, 1 late, 2 random streams. Nothing on a GPU. */
void emulation_set(int order, int pace);

/* Prints what the emulator found wrong and what nobody freed; how many lines that were. 0 on a GPU. */
int emulation_problems(void);

/* Prints each kernel of the library that was never launched; how many that were. 0 on a GPU, which can't list them. */
int emulation_missing(bool (*was_launched)(const char *kernel));

#endif
