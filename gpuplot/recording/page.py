"""Records -> one page of HTML without a server: a slider of steps, pictures, histograms and numbers over the steps."""

from functools import cache
from importlib.resources import files


@cache
def _template():
    return files(__package__).joinpath("page.html").read_text(encoding="utf-8")


def page(records):
    """The page of these records, whose pictures are files beside it.

    Parameters
    ----------
    records : list of str
        The JSON of each, as `Recorder` writes them; of several with the same kind, name and step the last one is used.

    Returns
    -------
    str
    """
    data = ",".join(records).replace("<", "\\u003c")  # so that no text ends the <script>
    return _template().replace("/*RECORDS*/[]", f"[{data}]")
