/* Threads that begin at the same moment. */
#ifndef GP_AT_ONCE_H
#define GP_AT_ONCE_H

/* Calls work(context, k) for k = 0..n-1, each in a thread of its own, all let go at once; returns when all have ended. */
typedef void (*gp_work)(void *context, int k);
void run_at_once(int n, gp_work work, void *context);

#endif
