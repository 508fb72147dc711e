/* Which memory this processor wants to be asked for ahead of time. */
#ifndef GP_CPU_PREFETCH_H
#define GP_CPU_PREFETCH_H

#include <stdbool.h>

/* Elements are asked for this many bytes before they are needed. */
#define GP_PREFETCH_BYTES 2048

/* Rows that are read side by side are more streams of addresses than most processors follow by themselves. On those that do
 * follow, asking ahead takes up to two fifths of the speed: there, it is done for one row only. Set when the library is loaded,
 * and not changed after. */
extern bool gp_rows_are_followed;

#endif
