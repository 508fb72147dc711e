/* Writes error messages where the numbers are known. */
#include "status.h"

#include <stdarg.h>
#include <stdio.h>

gp_status gp_fail(gp_error *error, gp_status status, const char *format, ...)
{
    va_list arguments;
    error->status = status, error->call = NULL, error->code = NULL, error->driver_code = 0;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

gp_status gp_fail_memory(gp_error *error, double n_bytes)
{
    return gp_fail(error, GP_ERR_MEMORY, "out of host memory: %.0f bytes were needed; pictures of a smaller shape need less",
                   n_bytes);
}
