/* Streams that record a graph instead of working: which calls that forbids, and to whom. */
#ifndef GP_EMU_CAPTURE_H
#define GP_EMU_CAPTURE_H

#include "streams.h"

namespace gp_emu {

void begin_capture(Stream *stream, int mode);

/* True while a stream of the context that blocks on the legacy one is capturing. */
bool is_capturing_blocking(const Context *context);
bool is_capturing_any(const Context *context);

/* From now on the captures of a context give errors, until they are ended. */
void invalidate_captures(const Context *context);

/* Waiting for, or asking about, what is only being recorded is an error that spoils the recording. */
CUresult refuse_wait(Stream *stream);

/* Calls that allocate, free or wait are forbidden while this thread captures, or while another one captures in the global
 * mode, unless this thread's mode is relaxed. A forbidden call spoils the captures. */
CUresult refuse_unsafe(const Context *context);

} // namespace gp_emu

#endif
