/* CHECK(claim): ends a test program with the place of the first claim that is not true. */
#ifndef GP_CHECK_H
#define GP_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(claim)                                                                                                             \
    do {                                                                                                                         \
        if (!(claim)) {                                                                                                          \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #claim);                                                \
            exit(1);                                                                                                             \
        }                                                                                                                        \
    } while (0)

#endif
