/* The counting and telling of tally.h. */
#include "tally.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_TOLD = 40 };

bool tally_group(tally *all, const char *group)
{
    if (all->only != NULL && strcmp(all->only, group) != 0)
        return false;
    snprintf(all->group, sizeof all->group, "%s", group);
    all->n_asked = 0;
    return true;
}

bool tally_wants(tally *all, bool is_typical)
{
    bool is_chosen = all->n_asked++ % all->every == 0;
    if (!is_chosen && !(all->has_all_typical && is_typical))
        return false;
    all->n_cases++;
    all->label[0] = '\0';
    return true;
}

void tally_name(tally *all, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(all->label, sizeof all->label, format, list);
    va_end(list);
}

void tally_fail(tally *all, const char *format, ...)
{
    static int64_t failed_case = -1;
    va_list list;
    if (failed_case == all->n_cases)
        return;
    failed_case = all->n_cases;
    if (all->n_failed++ >= MOST_TOLD)
        return;
    fprintf(stderr, "wrong: %s, %s: ", all->group, all->label);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
}

bool tally_ok(tally *all, gp_status status, const gp_error *error, const char *call)
{
    if (status != GP_OK)
        tally_fail(all, "%s failed: %s", call, error->message);
    return status == GP_OK;
}
