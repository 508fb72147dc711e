"""The rows about colors: photographs, their opacity, and angles of complex numbers, 4000 x 4000 onto 500 x 500."""

from contenders import Case, Contender

SIDE = 500
OURS = Contender("gpuplot.to_rgba", f"r = gpuplot.to_rgba(a, ({SIDE}, {SIDE}), rgb=-1)", "import gpuplot", ("gpuplot",), picture="r")
# The result of others, colors without opacity, as pixels.
OPAQUE = "np.dstack([{colors}, np.full((500, 500), 255, np.uint8)])"
OF_FLOATS = OPAQUE.format(colors="(r * 255).astype(np.uint8)")


def opencv(picture):
    """OpenCV's means of areas of all channels."""
    return Contender("OpenCV INTER_AREA", f"r = cv2.resize(a, ({SIDE}, {SIDE}), interpolation=cv2.INTER_AREA)",
                     "import cv2\nimport numpy as np", ("cv2",), picture=picture)


def pillow(picture):
    """Pillow's means of areas; it also weighs colors by their opacity."""
    return Contender("Pillow BOX", f"r = image.resize(({SIDE}, {SIDE}), Image.Resampling.BOX)",
                     "import numpy as np\nfrom PIL import Image\nimage = Image.fromarray(a)", ("PIL",), picture=picture)


def photograph_cases():
    """Photographs as bytes, with opacity, as numbers from 0 to 1, and with one element that is not a number."""
    numpy = Contender("np.nanmean of blocks", f"r = np.nanmean(a.reshape({SIDE}, 8, {SIDE}, 8, 3), axis=(1, 3))", "import numpy as np",
                      picture=OF_FLOATS, note="leaves out NaN without a mark")
    truth = "picture of colors", SIDE
    return [
        Case("RGB of uint8", "photograph", OURS, (opencv(OPAQUE.format(colors="r")), pillow(OPAQUE.format(colors="np.asarray(r)"))), truth,
             {"OpenCV INTER_AREA": 1.5}, is_quick=True),
        Case("RGBA of uint8", "photograph, opacity", OURS, (pillow("np.asarray(r)"),), truth, {"Pillow BOX": 1.5}, is_quick=True),
        Case("RGB of float32", "photograph, float32", OURS, (opencv(OF_FLOATS),), truth, {"OpenCV INTER_AREA": 2.0}, is_quick=True),
        Case("RGB of float32, one NaN", "photograph, NaN", OURS, (numpy,), truth, {"np.nanmean of blocks": 0.3}, is_quick=True),
    ]


def angle_cases():
    """Mean directions of complex numbers."""
    ours = Contender("gpuplot.to_rgba, phase", f"r = gpuplot.to_rgba(a, ({SIDE}, {SIDE}), complex_mode='phase')", "import gpuplot",
                     ("gpuplot",))
    numpy = Contender("np.angle of mean directions", f"r = np.angle((a / abs(a)).reshape({SIDE}, 8, {SIDE}, 8).mean((1, 3)))",
                      "import numpy as np", note="numbers, no colors; NaN where an element is 0")
    return [Case("angles of complex64", "complex64 4000", ours, (numpy,), (), {"np.angle of mean directions": 0.3}, is_quick=True)]


def all_cases():
    """Every row about colors."""
    return [*photograph_cases(), *angle_cases()]
