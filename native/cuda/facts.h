/* Facts about elements between device and host: their keys before the first kernel, and what the last one left as limits. */
#ifndef GP_CUDA_FACTS_H
#define GP_CUDA_FACTS_H

#include "cuda.h"
#include "kernels/reduce_args.h"

/* Where kernels join what they see; set to the facts of no elements. */
gp_status gp_cuda_facts_begin(gp_cuda_device *device, gp_facts_keys **out, gp_error *error) GP_MUST_CHECK;

/* Fetches them. */
gp_status gp_cuda_facts_end(gp_cuda_device *device, const gp_facts_keys *at, gp_limits *out, gp_error *error) GP_MUST_CHECK;

#endif
