/* Errors of the native layer: functions return a status, and write a message to memory on the caller's stack. */
#ifndef GP_STATUS_H
#define GP_STATUS_H

/* One value per Python exception that the binding raises. */
typedef enum gp_status {
    GP_OK = 0,
    GP_ERR_VALUE,       /* ValueError: a value, a shape, an axis */
    GP_ERR_TYPE,        /* TypeError */
    GP_ERR_INDEX,       /* IndexError */
    GP_ERR_MEMORY,      /* MemoryError */
    GP_ERR_UNSUPPORTED, /* gpuplot.UnsupportedError: a kind of tensor that cannot be read, with what to do instead */
    GP_ERR_DEVICE,      /* gpuplot.DeviceError: a call of the driver failed */
    GP_ERR_INTERRUPTED, /* the user pressed Ctrl-C: the pending exception is Python's own */
    GP_ERR_OVERFLOW,    /* OverflowError: a size beyond 64 bits */
    GP_N_STATUS
} gp_status;

/* Lives on the caller's stack and is written only on failure. The message tells what to do next. */
typedef struct gp_error {
    gp_status status;
    int driver_code; /* the CUDA driver's number of the error, 0 if it is not one of the driver */
    char message[256];
    const char *call, *code; /* of a failed driver call: its name and the driver's name for the code; static, NULL otherwise */
} gp_error;

#if defined(__GNUC__)
#define GP_MUST_CHECK __attribute__((warn_unused_result))
#define GP_PRINTF(format_at, first_at) __attribute__((format(printf, format_at, first_at)))
#else
#define GP_MUST_CHECK
#define GP_PRINTF(format_at, first_at)
#endif

/* Writes the message and returns the status, so that a check reads `return gp_fail(error, GP_ERR_VALUE, "...", n);` */
gp_status gp_fail(gp_error *error, gp_status status, const char *format, ...) GP_PRINTF(3, 4);

/* gp_fail for a failed allocation of so many bytes. */
gp_status gp_fail_memory(gp_error *error, double n_bytes);

/* Returns from the calling function when the expression is not GP_OK. */
#define GP_TRY(expression)                                                                                                       \
    do {                                                                                                                         \
        gp_status gp_try_status_ = (expression);                                                                                 \
        if (gp_try_status_ != GP_OK)                                                                                             \
            return gp_try_status_;                                                                                               \
    } while (0)

#endif
