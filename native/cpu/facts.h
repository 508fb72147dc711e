/* Facts about elements, joined over threads without regard to order, and what they say as limits. */
#ifndef GP_FACTS_H
#define GP_FACTS_H

#include "cpu.h"
#include "loops.h"
#include "rows.h"

gp_facts gp_facts_none(void);
void gp_facts_join(gp_facts *to, const gp_facts *from);
/* What there is among n elements of these rows. */
void gp_facts_add(const gp_rows *rows, const gp_loops *loops, const void *elems, int64_t n, gp_facts *facts);
void gp_facts_to_limits(const gp_facts *facts, gp_limits *out);

#endif
