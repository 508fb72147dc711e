/* How far ahead of what is being read this processor wants to be asked for memory. */
#ifndef GP_CPU_PREFETCH_H
#define GP_CPU_PREFETCH_H

/* Rows that are read side by side are more streams of addresses than most processors follow by themselves: elements are asked for
 * this many bytes before they are needed. 0 asks for what is read next anyway, on processors that do follow; there, asking ahead
 * takes up to a third of the speed. Set when the library is loaded, and not changed after. */
extern int gp_prefetch_bytes;

#endif
