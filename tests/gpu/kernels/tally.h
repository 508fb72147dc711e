/* tally: counts cases and those that came out wrong; a failure is told and the run goes on, so that one run shows them all. */
#ifndef GP_TALLY_H
#define GP_TALLY_H

#include "../../../native/core/base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct tally {
    int64_t every;   /* runs each every-th case */
    bool has_all_typical; /* and every typical one besides */
    const char *only; /* NULL, or the one group that runs */
    int64_t n_asked, n_cases, n_failed, n_skipped;
    char group[32], label[160];
} tally;

/* Begins a group of cases; false where the command line asks for another one. */
bool tally_group(tally *all, const char *group);

/* Whether the next case is one of those that run. The first of each group always is. Typical cases are a small set that
 * takes every kernel's path. */
bool tally_wants(tally *all, bool is_typical);

/* Names the case that runs now, for the message of a failure. */
void tally_name(tally *all, const char *format, ...) GP_PRINTF(2, 3);

/* Tells a failure of the named case; only the first few are printed. A case counts once. */
void tally_fail(tally *all, const char *format, ...) GP_PRINTF(2, 3);

/* A call that had to succeed. */
bool tally_ok(tally *all, gp_status status, const gp_error *error, const char *call);

#endif
