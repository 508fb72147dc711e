"""The rows about NumPy arrays of other libraries' tensors: gpuplot.asnumpy and the documented way of each library."""

from contenders import Case, Contender

NUMPY = "import numpy as np"
TORCH = "import numpy as np\nimport torch\nt = torch.as_tensor(a)"
OF_TORCH = TORCH + "\nimport gpuplot"
# Photographs in the order of PyTorch, and as `memory_format=torch.channels_last` stores them.
PERMUTED = "\nt = t.permute(0, 2, 3, 1)"
CHANNELS_LAST = "\nt = t.contiguous(memory_format=torch.channels_last)"
TENSORFLOW = ("import os\nos.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')\nimport numpy as np\nimport tensorflow as tf\n"
              "t = tf.convert_to_tensor(a)")
JAX = "import jax.numpy as jnp\nimport numpy as np\nt = jnp.asarray(a)"


def ours(setup, options="", subject="t", needs=()):
    """`gpuplot.asnumpy`."""
    return Contender("gpuplot.asnumpy", f"r = gpuplot.asnumpy({subject}{options})", f"{setup}\nimport gpuplot", ("gpuplot", *needs),
                     array="r")


def theirs(line, setup=TORCH, needs=("torch",), note=""):
    """A documented way, named by what is typed."""
    return Contender(line, f"r = {line}", setup, needs, array="r", note=note)


def case(name, array, mine, others, bounds=None, is_quick=False):
    """A row; results are compared with each other, element by element."""
    return Case(f"asnumpy, {name}", array, mine, tuple(others), (), bounds or {}, is_quick=is_quick)


def layout_cases():
    """Elements that lie in another order than the array is wanted in."""
    contiguous = "np.ascontiguousarray(a)"
    return [
        case("transposed", "transposed", ours(NUMPY, subject="a"), (
            theirs(contiguous, NUMPY, ()), theirs("t.contiguous().numpy()")), bounds={contiguous: 0.5}, is_quick=True),
        case("every second row, third column", "strided", ours(NUMPY, subject="a"), (
            theirs(contiguous, NUMPY, ()), theirs("t.contiguous().numpy()"))),
        case("axes turned round", "cube", ours(NUMPY + "\na = a.T", subject="a"), (
            theirs(contiguous, NUMPY + "\na = a.T", ()), theirs("t.permute(2, 1, 0).contiguous().numpy()"))),
        case("complex64, transposed", "complex64", ours(NUMPY + "\na = a.T", subject="a"), (
            theirs(contiguous, NUMPY + "\na = a.T", ()),)),
        case("byte-swapped", "byte-swapped", ours(NUMPY, subject="a", options=', "float32"'), (
            theirs("a.astype(np.float32)", NUMPY, ()),)),
        case("permuted", "photographs", ours(OF_TORCH + PERMUTED), (
            theirs("t.contiguous().numpy()", TORCH + PERMUTED), theirs("np.ascontiguousarray(t.numpy())", TORCH + PERMUTED)),
            is_quick=True),
        case("channels_last", "photographs", ours(OF_TORCH + CHANNELS_LAST), (
            theirs("t.contiguous().numpy()", TORCH + CHANNELS_LAST),
            theirs("np.ascontiguousarray(t.numpy())", TORCH + CHANNELS_LAST)), is_quick=True)]


def dtype_cases():
    """Dtypes that NumPy lacks, and casts."""
    rows = [("float32", "float64"), ("float64", "float32"), ("float32", "float16"), ("uint8", "float32"), ("int64", "float32"),
            ("int64", "int32"), ("float16", "float32"), ("float32", "bool")]
    casts = [case(f"{source} as {target}", source, ours(NUMPY, f', "{target}"', "a"), (
        theirs(f"a.astype(np.{target})", NUMPY, ()), theirs(f"t.to(torch.{target}).numpy()")),
        is_quick=source == "uint8") for source, target in rows]
    return [
        case("bfloat16", "bfloat16", ours(OF_TORCH), (theirs("t.float().numpy()"),), {"t.float().numpy()": 1.0}, True),
        case("bfloat16, transposed", "bfloat16", ours(OF_TORCH + "\nt = t.T"), (
            theirs("t.float().contiguous().numpy()", TORCH + "\nt = t.T"),)),
        case("float8_e4m3fn", "float8", ours(OF_TORCH), (theirs("t.float().numpy()"),), is_quick=True),
        *casts,
        case("masked", "masked", ours(NUMPY, subject="a"), (theirs("a.filled(np.nan)", NUMPY, ()),)),
        case("float32 as int64", "small whole", ours(NUMPY, ', "int64"', "a"), (
            theirs("t.numpy().astype(int)", note="on a GPU after a copy in full precision"),)),
        case("requires_grad", "float32", ours(OF_TORCH + "\nt.requires_grad_()", ', "float64"'), (
            theirs("t.detach().cpu().numpy().astype(np.float64)", TORCH + "\nt.requires_grad_()"),))]


def shared_cases():
    """What lies in memory as it is wanted: nothing is copied."""
    return [
        case("no copy, PyTorch", "float32", ours(OF_TORCH), (theirs("t.numpy()", note="shares memory, too"),)),
        case("no copy, NumPy", "float32", ours(NUMPY, subject="a"), (theirs("np.asarray(a)", NUMPY, ()),)),
        case("no copy, TensorFlow", "float32", ours(TENSORFLOW, needs=("tensorflow",)), (
            theirs("t.numpy()", TENSORFLOW, ("tensorflow",), "copies"),), is_quick=True),
        case("no copy, JAX", "float32", ours(JAX, needs=("jax",)), (
            theirs("np.asarray(t)", JAX, ("jax",), "the first time; later ones return the array that JAX keeps"),
            theirs("np.array(t)", JAX, ("jax",), "copies")))]


def file_cases():
    """Into a file, in another order and dtype."""
    out = "\nimport os, tempfile\nout = np.memmap(os.path.join(tempfile.mkdtemp(), 'a.raw'), np.float32, 'w+', shape=a.shape)"
    mine = Contender("gpuplot.asnumpy", "gpuplot.asnumpy(a, out=out)", NUMPY + out + "\nimport gpuplot", ("gpuplot",), array="out")
    loop = Contender("out[...] = a", "out[...] = a", NUMPY + out, array="out")
    return [case("transposed into a memmap", "transposed", mine, (loop,))]


def object_cases():
    """Tensors of one number in a list, tables."""
    losses = TORCH + "\nlosses = list(t.reshape(-1)[:1000])"
    nullable = (NUMPY + "\nimport pandas\ndf = pandas.DataFrame(a[:2_000_000]).astype('Float32')\ndf.iloc[::100, 1] = pandas.NA")
    table = NUMPY + "\nimport polars\ndf = polars.DataFrame(a[:2_000_000])"
    conjugated = TORCH + "\nt = torch.view_as_complex(t.reshape(-1, 2)).conj()"
    return [
        case("1000 losses in a list", "small 1000", ours(losses, subject="losses", needs=("torch",)), (
            theirs("np.array([x.item() for x in losses], np.float32)", losses), theirs("torch.stack(losses).numpy()", losses))),
        case("conjugated", "float32", ours(conjugated, needs=("torch",)), (theirs("t.resolve_conj().numpy()", conjugated),)),
        case("nullable columns of pandas", "tall", ours(nullable, subject="df", needs=("pandas",)), (
            theirs("df.to_numpy(np.float32, na_value=np.nan)", nullable, ("pandas",)),)),
        case("columns of polars", "tall", ours(table, subject="df", needs=("polars",)), (
            theirs("df.to_numpy(order='c')", table, ("polars",)),))]


def all_cases():
    """Every row about conversions."""
    return [*layout_cases(), *dtype_cases(), *shared_cases(), *object_cases(), *file_cases()]
