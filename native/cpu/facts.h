/* Facts about elements, joined over threads without regard to order, and what they say as limits. */
#ifndef GP_FACTS_H
#define GP_FACTS_H

#include "cpu.h"
#include "loops.h"

gp_facts gp_facts_none(void);
void gp_facts_join(gp_facts *to, const gp_facts *from);
void gp_facts_to_limits(const gp_facts *facts, gp_limits *out);

#endif
