"""The text of `gpuplot --help`."""

import shutil
import textwrap

from .commands import GRAPHS
from .options import OF_GRAPHS, OWN, PROPERTIES, all_options, options_of

_OF_INFO = "gpuplot info FILE[#NAME]... [--no-stats] [--json]"
_OF_GRAPHS = "\n".join(f"       gpuplot {name} {graph.tensors}" for name, graph in GRAPHS.items())
USAGE = f"""usage: gpuplot [imshow] FILE[#NAME] [-o PICTURE] [OPTIONS]
       {_OF_INFO}
{_OF_GRAPHS}   (X, Y, ...: FILE[#NAME])"""

_OPENING = """
Draws a tensor of a file (.npy, .npz, .pt, .safetensors, HDF5, zarr, .csv, .txt, .png, .tif), reduced to the pixels of the picture; files \
that are not compressed are mapped, whatever their size. Without -o a terminal that shows pictures shows it; else it goes to FILE.png in \
the current folder. info lists the tensors of a file and what their elements are like, those with NaN first; compare lists how those of \
one name in two files differ. plot, hist, ... draw tensors as the functions of gpuplot with these names do: gpuplot plot --help lists \
their options."""

_VALUES = """
Values are written as in --vmin -1, --robust=1,99, --view 0:100,50:80, --extent 0,1,0,1, --labels 0=cat,1=dog. Options in square \
brackets may stand alone, and --no-NAME is their opposite."""
_VALUES_OF_GRAPHS = """
Values are written as in --vmin -1, --xlim=-1,1, --color red,blue, --linestyle=dashed. Options in square brackets may stand alone, and \
--no-NAME is their opposite."""

# How options are written whose value has a name, or that are known by their opposite.
_WRITTEN = {"output": "-o, --output PICTURE", "title": "--title TEXT", "xlabel": "--xlabel TEXT", "ylabel": "--ylabel TEXT",
            "terminal": "--terminal NAME", "stats": "--no-stats"}

# Summaries of keywords that mean something else on the command line than in the function, or that share a text or a page there.
_SAID_HERE = {
    "align": "Where bars stand on their bins: mid, left or right.",
    "alpha": "Opacity, 0 to 1.",
    "aspect": "Whether elements are square, equal, or fill the figure, auto; or their height by their width.",
    "bottom": "The value at which bars begin.",
    "categorical": "Elements are class numbers (bool or integers), and each class has a color of its own, 128 different ones.",
    "center": "Limits symmetric about this value, with a diverging colormap; auto is 0 where the range has both signs.",
    "cmap": "Colors by the name of a colormap of matplotlib, such as magma.",
    "colorbar": "A bar of the colors, whose ends are pointed where elements lie beyond the limits.",
    "dims": "Names for the axes: batch,head,row,col.",
    "dpi": "Pixels to an inch, which make letters larger or smaller; 100 by default. With --pixels it is written into the file.",
    "extent": "The left, right, bottom and top edge in coordinates of the axes: 0,10,-1,1.",
    "filternorm": "Whether the weights of an interpolation filter add up to 1.",
    "filterrad": "The radius of the interpolation filters sinc, lanczos and blackman.",
    "grid": "The file is a batch of images, which are written side by side; --grid=nrow=4,normalize=true has keywords of gpuplot.grid.",
    "index": "Where axes that are not seen stand: 3, or 3,5 for the first two of them, or head=3, or 0=3; 0=2:9 cuts an axis.",
    "interpolation": "How magnified elements are drawn: nearest, bilinear, bicubic, lanczos, ....",
    "interpolation_stage": "What is interpolated: data or rgba.",
    "labels": "Names of classes in the colorbar: 0=cat,1=dog.",
    "level": "The level that is read of an image stored at several resolutions, such as an OME-Zarr group; 0 is the full one.",
    "log": "Whether the axis of counts is logarithmic.",
    "metadata": "Texts for the file: Title=weights,Author=me.",
    "nan_color": "The color of pixels with a NaN.",
    "neg_inf_color": "The color of pixels with -Inf.",
    "norm": "How values become colors: linear, log, symlog, asinh, another scale of matplotlib, cbrt or eq_hist.",
    "orientation": "Whether bars stand, vertical, or lie, horizontal.",
    "origin": "Where row 0 is: upper or lower.",
    "over_color": "The color of values above vmax.",
    "pos_inf_color": "The color of pixels with +Inf.",
    "range": "Where the first bin begins and the last one ends: --range=-1,1, of x and y --range=-1,1,0,5; elements outside are in no bin.",
    "reduce": "Hidden axes to reduce, and how: head=mean, or 0=max; also min, sum, std and norm.",
    "rgb": "The axis of the color channels. Alone: it is searched for. --no-rgb: plain numbers.",
    "robust": "Limits at exact percentiles: alone 2 and 98; 5 is 5 and 95; or two of them, 1,99.",
    "rwidth": "The width of bars as a share of that of their bins.",
    "stacked": "Whether the bars of several tensors stand on each other.",
    "under_color": "The color of values below vmin.",
    "url": "A link, in a file of SVG.",
    "view": "Rows and columns to look at, in elements: 0:100,50:80.",
    "vmax": "The value of the last color, and of all above.",
    "vmin": "The value of the first color, and of all below.",
    "width": "Of the picture in pixels; default: 1000 with axes, one for each element with --pixels.",
}


def help_text(command="picture"):
    """The usage, the command's own options, then every keyword of the functions that draw."""
    width = min(100, shutil.get_terminal_size().columns)
    if command in GRAPHS:
        return _help_of_graph(command, width)
    if command == "info":
        return f"usage: {_OF_INFO}\n\n" + _listed("options", options_of("info").values(), width)
    parts = [USAGE, *(textwrap.fill(text.strip(), width) for text in (_OPENING, _VALUES))]
    options = all_options()
    own = [options[name] for name in OWN]
    keywords = sorted((option for name, option in options.items() if name not in OWN), key=lambda option: option.name)
    parts += [_listed("options", own, width), _listed("how it is drawn, as keywords of gpuplot.imshow and imsave", keywords, width)]
    return "\n\n".join(parts)


def _help_of_graph(command, width):
    options = options_of(command)
    own = [option for name, option in options.items() if name in OWN or name in OF_GRAPHS]
    keywords = sorted((option for option in options.values() if option not in own), key=lambda option: option.name)
    return "\n\n".join([f"usage: gpuplot {command} {GRAPHS[command].tensors} [-o PICTURE] [OPTIONS]   ({GRAPHS[command].tensors}: "
                         "FILE[#NAME])", textwrap.fill(_VALUES_OF_GRAPHS.strip(), width), _listed("options", own, width),
                         _listed(f"keywords of gpuplot.{command}", keywords, width)])


def _listed(title, options, width):
    lines = [f"{title}:"]
    for option in options:
        written = option.written + ("" if option.name in OWN else "[=VALUE]" if option.is_flag else " VALUE")
        written = _WRITTEN.get(option.name, written)
        lines.append(f"  {written}")
        lines += textwrap.wrap(summary_of(option), width, initial_indent=" " * 6, subsequent_indent=" " * 6)
    return "\n".join(lines)


def summary_of(option):
    """What the help says of an option."""
    of_graphs = (OF_GRAPHS | PROPERTIES).get(option.name)
    said = option.summary if option == of_graphs else _SAID_HERE.get(option.name, option.summary)
    said = said.removeprefix("True: ")
    return said[:1].upper() + said[1:]
