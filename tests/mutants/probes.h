/* Included before all else into the tree that is measured: what code ran is noted in a file that tests share with their children. */
#ifndef GPUPLOT_MUTANTS_PROBES_H
#define GPUPLOT_MUTANTS_PROBES_H

#ifdef __cplusplus
extern "C" {
#endif
extern __attribute__((visibility("hidden"))) unsigned char *gp_probes_hit;
#ifdef __cplusplus
}
#endif
#define GP_PROBE(n) (gp_probes_hit[n] = 1);

#endif
