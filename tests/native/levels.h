/* Tests at each level of vector instructions that the processor has; a level is chosen once in a process, so each has a child. */
#ifndef GP_TEST_LEVELS_H
#define GP_TEST_LEVELS_H

/* Runs a test at each level, with the same random numbers; fails where one of them does. A level that the processor or the build
 * lacks is skipped with a printed line. */
void run_at_every_level(void (*run)(void));

/* Results that have to be the same at every level, compared when the last one has run: `name` says in messages what they are. */
void same_at_every_level(const char *name, const void *bytes, long long n_bytes);

/* The same for numbers that may differ by `slack`. */
void near_at_every_level(const char *name, double value, double slack);

#endif
