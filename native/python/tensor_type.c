/* _native.Tensor: memory of another library, borrowed for one use and released exactly once. */
#include "binding.h"

static void release_python_owner(void *owner) { Py_DECREF((PyObject *)owner); }

static void release_legacy(void *owner)
{
    gp_dl_managed *managed = owner;
    if (managed->deleter != NULL)
        managed->deleter(managed);
}

static void release_versioned(void *owner)
{
    gp_dl_managed_versioned *managed = owner;
    if (managed->deleter != NULL)
        managed->deleter(managed);
}

static void tensor_let_go(TensorObject *self)
{
    if (self->n_users > 0) {
        self->is_release_due = true;
        return;
    }
    if (!self->is_released) {
        PyObject *type, *value, *traceback; /* a deleter may run Python code and must not see or clear our exception */
        self->is_released = true;
        PyErr_Fetch(&type, &value, &traceback);
        gp_tensor_release(&self->tensor);
        PyErr_Restore(type, value, traceback);
    }
}

int tensor_begin(TensorObject *self)
{
    if (self->is_released || self->is_release_due) {
        PyErr_SetString(PyExc_ValueError, "the tensor was released: borrow it again");
        return -1;
    }
    self->n_users++;
    return 0;
}

void tensor_end(TensorObject *self)
{
    if (--self->n_users == 0 && self->is_release_due)
        tensor_let_go(self);
}

static const char hold_name[] = "gpuplot.use_of_tensor";

static void end_hold(PyObject *capsule)
{
    TensorObject *tensor = PyCapsule_GetPointer(capsule, hold_name);
    tensor_end(tensor);
    Py_DECREF((PyObject *)tensor);
}

PyObject *tensor_hold(TensorObject *self)
{
    if (tensor_begin(self) < 0)
        return NULL;
    PyObject *capsule = PyCapsule_New(self, hold_name, end_hold);
    if (capsule == NULL)
        tensor_end(self);
    else
        Py_INCREF((PyObject *)self);
    return capsule;
}

static void tensor_dealloc(TensorObject *self)
{
    self->n_users = 0;
    tensor_let_go(self);
    object_free(self);
}

PyObject *tensor_wrap(const gp_tensor *tensor, PyObject *owner)
{
    TensorObject *self = object_new(TensorType);
    if (self != NULL) {
        self->tensor = *tensor;
        self->tensor.owner = Py_NewRef(owner), self->tensor.release_owner = release_python_owner;
    }
    return (PyObject *)self;
}

/* Pointer, shape and byte strides of an ndarray. */
static void fill_from_array(gp_tensor *tensor, PyArrayObject *array)
{
    tensor->data = PyArray_DATA(array);
    tensor->n_dims = PyArray_NDIM(array);
    tensor->device = (gp_device){GP_DL_CPU, 0};
    tensor->is_byteswapped = PyArray_ISBYTESWAPPED(array);
    for (int i = 0; i < tensor->n_dims; i++) {
        tensor->shape[i] = PyArray_DIM(array, i);
        tensor->strides_bytes[i] = PyArray_STRIDE(array, i);
    }
}

static int fill_mask(gp_tensor *tensor, PyObject *mask)
{
    if (mask == Py_None)
        return 0;
    if (!PyArray_Check(mask) || PyArray_TYPE((PyArrayObject *)mask) != NPY_BOOL ||
        PyArray_NDIM((PyArrayObject *)mask) != tensor->n_dims) {
        PyErr_SetString(PyExc_TypeError, "mask must be a boolean ndarray of the array's shape");
        return -1;
    }
    tensor->mask = PyArray_DATA((PyArrayObject *)mask);
    for (int i = 0; i < tensor->n_dims; i++) {
        if (PyArray_DIM((PyArrayObject *)mask, i) != tensor->shape[i]) {
            PyErr_SetString(PyExc_ValueError, "mask must have the array's shape");
            return -1;
        }
        tensor->mask_strides_bytes[i] = PyArray_STRIDE((PyArrayObject *)mask, i);
    }
    return 0;
}

static PyObject *tensor_from_array(PyObject *Py_UNUSED(cls), PyObject *args)
{
    PyArrayObject *array;
    PyObject *mask = Py_None;
    gp_tensor tensor = {0};
    gp_error error = {0};
    if (!PyArg_ParseTuple(args, "O!O&|O:from_array", &PyArray_Type, &array, to_dtype, &tensor.dtype, &mask))
        return NULL;
    if (gp_dtype_size_bytes(tensor.dtype) != PyArray_ITEMSIZE(array))
        return PyErr_Format(PyExc_ValueError, "'%s' has %d bytes an element, the array %d", gp_dtype_name(tensor.dtype),
                            gp_dtype_size_bytes(tensor.dtype), (int)PyArray_ITEMSIZE(array));
    fill_from_array(&tensor, array);
    if (fill_mask(&tensor, mask) < 0)
        return NULL;
    if (gp_tensor_check(&tensor, &error) != GP_OK)
        return raise_error(&error);
    OWNED PyObject *owner = PyTuple_Pack(2, array, mask);
    TensorObject *self = (TensorObject *)(owner ? tensor_wrap(&tensor, owner) : NULL);
    if (self != NULL)
        self->is_readonly = !PyArray_ISWRITEABLE(array);
    return (PyObject *)self;
}

static PyObject *tensor_from_cells(PyObject *Py_UNUSED(cls), PyObject *object)
{
    if (!PyObject_TypeCheck(object, CellsType))
        return PyErr_Format(PyExc_TypeError, "from_cells takes Cells, not %R", Py_TYPE(object));
    const gp_cells *cells = &((CellsObject *)object)->cells;
    const gp_backend *backend = ((CellsObject *)object)->backend;
    gp_error error = {0};
    GP_CALL(error, backend->cells_check(cells, &error));
    if (error.status != GP_OK)
        return raise_error(&error);
    gp_tensor tensor = {.data = cells->data,
                        .dtype = GP_F64,
                        .device = cells->device,
                        .n_dims = 2,
                        .shape = {cells->n_rows, cells->n_cols},
                        .strides_bytes = {cells->n_cols * (int64_t)sizeof(double), sizeof(double)}};
    return tensor_wrap(&tensor, object);
}

static PyObject *fail_used(void)
{
    return PyErr_Format(PyExc_BufferError, "this DLPack capsule was used already: ask its producer for a new one");
}

/* Sets the error for an object that is no DLPack capsule. */
static void fail_no_capsule(PyObject *object)
{
    OWNED PyObject *name = PyType_GetName(Py_TYPE(object));
    if (name != NULL)
        PyErr_Format(PyExc_TypeError, "__dlpack__ must give a DLPack capsule, not %U: its producer is wrong", name);
}

/* The managed tensor of a capsule of either version; sets how it is released. NULL with an exception for other objects. The older version
 * has no read-only flag, and is taken as read-only, as NumPy does. */
static const gp_dl_tensor *open_capsule(PyObject *capsule, gp_tensor *owner_of, bool *is_readonly, const char **used_name)
{
    *is_readonly = true;
    if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        gp_dl_managed_versioned *managed = PyCapsule_GetPointer(capsule, "dltensor_versioned");
        owner_of->owner = managed, owner_of->release_owner = release_versioned;
        *used_name = "used_dltensor_versioned";
        *is_readonly = managed->major_version != GP_DL_MAJOR_VERSION || (managed->flags & GP_DL_FLAG_READ_ONLY) != 0;
        if (managed->major_version == GP_DL_MAJOR_VERSION)
            return &managed->tensor;
        PyErr_Format(PyExc_BufferError, "the producer speaks DLPack %u.%u and this build DLPack %d: update %s",
                     managed->major_version, managed->minor_version, GP_DL_MAJOR_VERSION,
                     managed->major_version < GP_DL_MAJOR_VERSION ? "the producer's library" : "gpuplot");
        return NULL;
    }
    if (PyCapsule_IsValid(capsule, "dltensor")) {
        gp_dl_managed *managed = PyCapsule_GetPointer(capsule, "dltensor");
        owner_of->owner = managed, owner_of->release_owner = release_legacy;
        *used_name = "used_dltensor";
        return &managed->tensor;
    }
    const char *name = PyCapsule_CheckExact(capsule) ? PyCapsule_GetName(capsule) : NULL;
    if (PyErr_Occurred())
        return NULL;
    if (name != NULL && strncmp(name, "used_dltensor", 13) == 0)
        fail_used();
    else
        fail_no_capsule(capsule);
    return NULL;
}

/* The driver checks memory of a CUDA device first; for managed memory only the driver knows the device. */
static gp_status borrow_dlpack(const gp_dl_tensor *source, int dtype_override, gp_tensor *out, gp_error *error)
{
    gp_tensor tensor;
    GP_TRY(gp_tensor_from_dlpack(source, dtype_override, &tensor, error));
    if (tensor.device.kind == GP_DL_CUDA || tensor.device.kind == GP_DL_CUDA_MANAGED) {
        int ordinal = tensor.device.kind == GP_DL_CUDA ? tensor.device.id : -1;
        cuda_note_nvrtc_folders();
        GP_CALL(*error, cuda_tensor_claim(&tensor, ordinal, error));
        GP_TRY(error->status);
    }
    *out = tensor;
    return GP_OK;
}

static PyObject *tensor_from_dlpack(PyObject *Py_UNUSED(cls), PyObject *args)
{
    PyObject *capsule, *dtype_name = Py_None;
    const char *used_name = NULL;
    gp_dtype dtype;
    gp_error error = {0};
    gp_tensor owner_of = {0};
    bool is_readonly;
    if (!PyArg_ParseTuple(args, "O|O:from_dlpack", &capsule, &dtype_name))
        return NULL;
    bool has_dtype = dtype_name != Py_None;
    if (has_dtype && !to_dtype(dtype_name, &dtype))
        return NULL;
    const gp_dl_tensor *source = open_capsule(capsule, &owner_of, &is_readonly, &used_name);
    if (source == NULL)
        return NULL;
    if (has_dtype && gp_dtype_size_bytes(dtype) * 8 != source->dtype.bits)
        return PyErr_Format(PyExc_ValueError, "'%s' has %d bits an element, the tensor %d", gp_dtype_name(dtype),
                            gp_dtype_size_bytes(dtype) * 8, (int)source->dtype.bits);
    OWNED TensorObject *self = object_new(TensorType); /* the capsule keeps the ownership until the end */
    if (self == NULL)
        return NULL;
    if (borrow_dlpack(source, has_dtype ? (int)dtype : -1, &self->tensor, &error) != GP_OK)
        return raise_error(&error);
    /* Another thread may have taken the capsule while the driver was called without the GIL. */
    if (!PyCapsule_IsValid(capsule, used_name + strlen("used_")))
        return fail_used();
    if (PyCapsule_SetName(capsule, used_name) < 0 || PyCapsule_SetDestructor(capsule, NULL) < 0)
        return NULL;
    self->tensor.owner = owner_of.owner, self->tensor.release_owner = owner_of.release_owner;
    self->is_readonly = is_readonly;
    return Py_NewRef((PyObject *)self);
}

/* release() and __exit__, whatever its arguments. */
static PyObject *tensor_release(TensorObject *self, PyObject *Py_UNUSED(args))
{
    tensor_let_go(self);
    Py_RETURN_NONE;
}

static PyObject *tensor_enter(PyObject *self, PyObject *Py_UNUSED(unused)) { return Py_NewRef(self); }

static PyObject *int64_tuple(const int64_t *values, int n)
{
    PyObject *tuple = PyTuple_New(n);
    for (int i = 0; tuple != NULL && i < n; i++) {
        PyObject *value = PyLong_FromLongLong(values[i]);
        if (value == NULL || PyTuple_SetItem(tuple, i, value) < 0)
            Py_CLEAR(tuple);
    }
    return tuple;
}

static PyObject *get_shape(TensorObject *self, void *Py_UNUSED(unused))
{
    return int64_tuple(self->tensor.shape, self->tensor.n_dims);
}

static PyObject *get_strides(TensorObject *self, void *Py_UNUSED(unused))
{
    return int64_tuple(self->tensor.strides_bytes, self->tensor.n_dims);
}

static PyObject *get_mask_strides(TensorObject *self, void *Py_UNUSED(unused))
{
    return self->tensor.mask == NULL ? Py_NewRef(Py_None) : int64_tuple(self->tensor.mask_strides_bytes, self->tensor.n_dims);
}

static PyObject *get_dtype(TensorObject *self, void *Py_UNUSED(unused))
{
    return PyUnicode_FromString(gp_dtype_name(self->tensor.dtype));
}

static PyObject *get_device(TensorObject *self, void *Py_UNUSED(unused))
{
    return Py_BuildValue("(ii)", self->tensor.device.kind, self->tensor.device.id);
}

static PyObject *get_address(TensorObject *self, void *Py_UNUSED(unused))
{
    return PyLong_FromVoidPtr((void *)(uintptr_t)self->tensor.data);
}

static PyObject *get_is_masked(TensorObject *self, void *Py_UNUSED(unused)) { return PyBool_FromLong(self->tensor.mask != NULL); }

static PyMethodDef methods[] = {
    {"from_array", tensor_from_array, METH_VARARGS | METH_CLASS, "from_array(array, dtype, mask=None): borrow an ndarray."},
    {"from_dlpack", tensor_from_dlpack, METH_VARARGS | METH_CLASS, "from_dlpack(capsule, dtype=None): take over a capsule."},
    {"from_cuda", WITH_KEYWORDS(tensor_from_cuda) | METH_CLASS,
     "from_cuda(pointer, shape, strides, dtype, device=-1, byteswapped=False, mask_pointer=0, mask_strides=None, owner=None, "
     "mask_marks_valid=False): borrow CUDA memory."},
    {"from_cells", tensor_from_cells, METH_O | METH_CLASS, "from_cells(cells): cells as the elements of a tensor."},
    {"release", (PyCFunction)tensor_release, METH_NOARGS, "Let the memory go; later calls do nothing."},
    {"__enter__", tensor_enter, METH_NOARGS, NULL},
    {"__exit__", (PyCFunction)tensor_release, METH_VARARGS, NULL},
    {0},
};

static PyGetSetDef getters[] = {
    {"shape", (getter)get_shape, NULL, "Sizes of the axes.", NULL},
    {"strides", (getter)get_strides, NULL, "Bytes from one element to the next along each axis.", NULL},
    {"mask_strides", (getter)get_mask_strides, NULL, "The same of its mask; None where there is none.", NULL},
    {"dtype", (getter)get_dtype, NULL, "Name of the dtype.", NULL},
    {"device", (getter)get_device, NULL, "(kind, id) in DLPack's numbers; kind 1 is the CPU.", NULL},
    {"address", (getter)get_address, NULL, "Where element [0, ..., 0] is, as the device addresses it.", NULL},
    {"is_masked", (getter)get_is_masked, NULL, "Whether a mask marks elements as missing.", NULL},
    {0},
};

static PyMemberDef members[] = {
    {"is_readonly", T_BOOL, offsetof(TensorObject, is_readonly), READONLY,
     "Whether the owner forbids to write there, as far as is known."},
    {"is_released", T_BOOL, offsetof(TensorObject, is_released), READONLY, "Whether the memory was let go."},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, tensor_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_getset, getters},
    {Py_tp_members, members},
    {Py_tp_doc, "Borrowed memory seen as an N-D array."},
    {0, NULL},
};

PyType_Spec tensor_spec = {"gpuplot._native.Tensor", sizeof(TensorObject), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
