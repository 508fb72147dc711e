/* Makes a context current, and keeps this thread's calls from invalidating a graph that is being captured. */
#include "visit.h"

gp_status gp_cuda_visit_begin(const gp_cuda_api *api, CUcontext context, gp_cuda_visit *out, gp_error *error)
{
    *out = (gp_cuda_visit){.api = api, .capture_mode = CU_STREAM_CAPTURE_MODE_RELAXED};
    GP_TRY_CUDA(api->ctxPushCurrent(context), "cuCtxPushCurrent", error);
    out->is_begun = true;
    if (api->threadExchangeStreamCaptureMode != NULL)
        (void)api->threadExchangeStreamCaptureMode(&out->capture_mode);
    return GP_OK;
}

void gp_cuda_visit_end(gp_cuda_visit *visit)
{
    CUcontext popped;
    if (!visit->is_begun)
        return;
    if (visit->api->threadExchangeStreamCaptureMode != NULL)
        (void)visit->api->threadExchangeStreamCaptureMode(&visit->capture_mode);
    (void)visit->api->ctxPopCurrent(&popped);
    visit->is_begun = false;
}
