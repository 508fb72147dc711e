/* Makes a context current, keeps this thread's calls from invalidating a graph that is being captured, and tells contexts apart. */
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

bool gp_cuda_context_id(const gp_cuda_api *api, CUcontext context, unsigned long long *out)
{
    return api->ctxGetId != NULL && api->ctxGetId(context, out) == CUDA_SUCCESS;
}

bool gp_cuda_context_is_gone(const gp_cuda_api *api, CUcontext context, unsigned long long id)
{
    CUresult code = CUDA_SUCCESS;
    /* Forgetting what was in a context cannot be undone: a failure is confirmed by a second call. */
    for (int attempt = 0; attempt < 2; attempt++) {
        unsigned long long now = id;
        code = api->ctxGetId(context, &now);
        if (code == CUDA_SUCCESS)
            return now != id;
    }
    return code == CUDA_ERROR_INVALID_CONTEXT || code == CUDA_ERROR_CONTEXT_IS_DESTROYED;
}
