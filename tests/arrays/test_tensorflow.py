"""TensorFlow's and Keras's tensors and variables: no copies, all dtypes, symbolic tensors, composites."""

import re
import subprocess
import sys

import libraries_on_the_cpu
import numpy as np
import pytest

tf = libraries_on_the_cpu.tensorflow()

import gpuplot
from gpuplot.arrays import lazy_arrays
from gpuplot.arrays.describe import describe

pytestmark = pytest.mark.host("tensors of TensorFlow on the CPU")

DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "bfloat16", "float32",
          "float64", "complex64", "complex128", "float8_e5m2", "float8_e4m3fn"]


def some(dtype="float32", shape=(3, 4)):
    numbers = tf.reshape(tf.range(1, 1 + np.prod(shape)), shape)
    return tf.cast(tf.cast(numbers, "float32" if dtype.startswith("float8") else "int8"), dtype)


def test_lists_and_mappings_that_a_module_keeps():
    """They hold no variables, so stats said that there are no tensors."""
    module = tf.Module()
    module.held, module.named = [some(), some(shape=(2,))], {"a": some()}
    assert list(gpuplot.stats(module.held)) == ["0", "1"]
    assert list(gpuplot.stats(module.named)) == ["a"]


def test_lists_and_models_are_several_tensors():
    """Lists of two shapes were refused, and of one shape stacked; a model of Keras was no tensor."""
    import keras

    assert list(gpuplot.stats([some(), some(shape=(2, 2))])) == list(gpuplot.stats([some(), tf.Variable(some())])) == ["0", "1"]
    layers = [keras.layers.Input((4,)), keras.layers.Dense(3, name="first"), keras.layers.Dense(2, name="last")]
    model = keras.Sequential(layers, name="net")
    names = ["net/first/kernel", "net/first/bias", "net/last/kernel", "net/last/bias"]
    assert list(gpuplot.stats(model)) == [variable.path for variable in model.weights]
    assert [name[-len(want):] for name, want in zip(gpuplot.stats(model), names, strict=True)] == names
    assert all(found.is_equal for found in gpuplot.compare(model, model).values())

    class Module(tf.Module):
        def __init__(self):
            self.w = tf.Variable(some(), name="w")

    assert list(gpuplot.stats(Module())) == ["w"]


@pytest.mark.parametrize("make", [lambda X: X, tf.Variable], ids=["tensor", "variable"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype, make):
    X = make(some(dtype))
    source = describe(X)
    assert (source.dtype, source.shape, source.device) == (dtype, (3, 4), None)
    expected = X.numpy().astype("complex128" if dtype.startswith("complex") else "float32")
    np.testing.assert_array_equal(gpuplot.downsample(X, (3, 4)), np.abs(expected))
    np.testing.assert_array_equal(gpuplot.asnumpy(X, expected.dtype), expected)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float8_e5m2"])
def test_no_copy_is_made_in_host_memory(dtype):
    X = some(dtype)
    shown = gpuplot.asnumpy(X, None if dtype == "float32" else dtype)
    assert np.shares_memory(shown, np.asarray(X))


def test_what_is_shown_may_not_be_written_to():
    X = some()
    assert not gpuplot.asnumpy(X).flags.writeable
    np.testing.assert_array_equal(gpuplot.asnumpy(X, copy=True), X)


def test_variables_are_read_anew_at_every_use():
    X = tf.Variable(some())
    source = describe(X)
    X.assign(X * 2)
    assert gpuplot.downsample(source, (3, 4))[0, 0] == 2
    image = gpuplot.imshow(big := tf.Variable(tf.ones((2000, 1000))))
    assert image.plane.reduce(image._present_geometry().window, "mean", "show").cells.numpy().max() == 1
    big.assign(big + 1)
    assert image.plane.reduce(image._present_geometry().window, "mean", "show").cells.numpy().max() == 2


def test_variables_of_keras():
    keras = pytest.importorskip("keras")
    X = keras.Variable(np.ones((3, 4), "float32"))
    source = describe(X)
    X.assign(X * 3)
    assert gpuplot.downsample(source, (1, 1)) == 3
    layer = keras.layers.Dense(5)
    layer.build((None, 4))
    assert describe(layer.kernel).shape == (4, 5)
    with pytest.raises(gpuplot.UnsupportedError, match=r"KerasTensor is a placeholder.*model\(batch\)"):
        describe(keras.Input((3, 4)))


def test_symbolic_tensors_are_refused_with_a_line_that_works(tmp_path):
    X = tf.Variable(some())

    @tf.function
    def step(x):
        for symbolic in (x, X):
            with pytest.raises(gpuplot.UnsupportedError, match=r"no values yet.*tf\.py_function\(lambda x: gpuplot"):
                gpuplot.to_rgba(symbolic)
        tf.py_function(lambda x: gpuplot.imsave(tmp_path / "x.png", x), [x], [])
        return x * 2

    step(some())
    assert (tmp_path / "x.png").exists()


def test_autograph_reads_the_functions_that_describe_a_tensor(tmp_path):
    """Of a function whose source it does not understand it says so, once in each program, on stderr."""
    script = tmp_path / "traced.py"
    script.write_text("""
import tensorflow as tf, gpuplot

@tf.function
def step(x):
    for function in (gpuplot.stats, gpuplot.imshow, gpuplot.hist, gpuplot.grid):
        try:
            function(x)
        except gpuplot.UnsupportedError:
            print("refused")
    return x

step(tf.ones((3, 3)))
""")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.count("refused") == 4 and "AutoGraph" not in done.stderr


def test_under_a_tape_and_of_other_functions():
    X = some()
    with tf.GradientTape() as tape:
        tape.watch(X)
        assert describe(X * 2).shape == (3, 4)
    assert describe(tf.function(lambda x: x + 1)(X)).shape == (3, 4)
    assert describe(tf.zeros((0, 3))).shape == (0, 3) and describe(tf.constant(1.0)).shape == ()
    np.testing.assert_array_equal(gpuplot.downsample([X[0], X[1]], (2, 4)), X[:2])
    for dtype in ("float32", "bfloat16"):
        losses = [tf.constant(loss, dtype) for loss in (1, 2)]
        assert describe(losses).dtype == dtype
        np.testing.assert_array_equal(gpuplot.downsample(losses, (1, 2)), [[1, 2]])


@pytest.mark.parametrize("dtype, hint", [
    ("qint8", "tf.bitcast(X, 'int8')"), ("quint8", "tf.bitcast(X, 'uint8')"), ("qint32", "tf.quantization.dequantize"),
    ("int4", "tf.cast(X, 'int32')"),
])
def test_codes_and_narrow_dtypes_are_refused(dtype, hint):
    with pytest.raises(gpuplot.UnsupportedError, match=re.escape(hint)):
        describe(some(dtype))


@pytest.mark.parametrize("draw", [gpuplot.hist, gpuplot.plot, lambda X: gpuplot.scatter(X, X), lambda X: gpuplot.hist2d(X, X)])
def test_codes_are_not_drawn_as_numbers(draw):
    """Lines and counts were those of the codes, as NumPy reads them."""
    codes = tf.quantization.quantize(some()[0], 0.0, 11.0, tf.qint8)[0]
    with pytest.raises(gpuplot.UnsupportedError, match="tensors of qint8 cannot be read: dequantize it"):
        draw(codes)


@pytest.mark.parametrize("draw", [gpuplot.asnumpy, gpuplot.imshow, gpuplot.grid, gpuplot.hist])
def test_lists_of_codes_are_not_numbers(draw):
    """Of lists they were read as numbers."""
    codes = tf.quantization.quantize(some(), 0.0, 11.0, tf.qint8)[0]
    with pytest.raises(gpuplot.UnsupportedError, match="(?i)qint8.*dequantize (it|them first), with tf.quantization.dequantize"):
        draw([codes, codes])


def test_text_does_not_end_the_process():
    """TensorFlow ends it when it is asked for the memory of text, so that runs in a process of its own."""
    code = ("import tensorflow as tf, gpuplot\n"
            "for X in (tf.constant(['a', 'b']), tf.Variable(['1', '2'])):\n"
            "    try:\n        gpuplot.asnumpy(X)\n"
            "    except gpuplot.UnsupportedError as error:\n        print(error)\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.count("tf.strings.to_number(X)") == 2


def test_composites_are_made_dense_where_that_is_little(monkeypatch):
    X = some()
    sparse = tf.SparseTensor([[2, 1], [0, 3]], [5.0, 7.0], (3, 4))  # not in order
    slices = tf.IndexedSlices(tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([2, 2]), tf.constant([4, 2]))
    for composite, expected in (
        (tf.RaggedTensor.from_tensor(X), X.numpy()), (tf.ragged.constant([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        (sparse, [[0, 0, 0, 7], [0] * 4, [0, 5, 0, 0]]), (slices, [[0, 0], [0, 0], [4, 6], [0, 0]]),
    ):
        np.testing.assert_array_equal(gpuplot.asnumpy(composite), expected)
    monkeypatch.setattr(lazy_arrays, "MAX_COMPUTED_BYTES", 10)
    for composite, hint in ((sparse, "tf.sparse.to_dense(X)"), (slices, "X.values")):
        with pytest.raises(gpuplot.UnsupportedError, match=re.escape(hint)):
            describe(composite)


@pytest.mark.parametrize("make, hint", [
    (lambda: tf.ragged.constant([[1.0, 2.0], [3.0]]), "X.to_tensor(default_value=float('nan'))"),
    (lambda: tf.IndexedSlices(tf.ones((2, 2)), tf.constant([0, 2])), "X.values"),
    (lambda: tf.TensorArray(tf.float32, 1).write(0, tf.ones(3)), "X.stack()"),
    (lambda: tf.data.Dataset.from_tensors(tf.ones(3)), "next(iter(X))"),
    (lambda: tf.TensorSpec((3, 4)), "a tensor of this type"),
], ids=["ragged", "slices", "array", "dataset", "spec"])
def test_what_is_no_tensor_is_refused_with_the_line_that_helps(make, hint):
    X = make()
    with pytest.raises(gpuplot.UnsupportedError, match=re.escape(hint)):
        describe(X)
    if hasattr(X, "mark_used"):
        X.mark_used()
