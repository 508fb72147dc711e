"""Turns scripts into notebooks, one cell for each `# %%`. usage: make_notebooks.py [FOLDER], or make_notebooks.py --run

The numbered examples become notebooks beside them, or in FOLDER. With --run those of `notebooks/` are made anew where they
are, run, and kept with what they show: stills of the inspectors, for readers without a kernel. That takes nbclient.
"""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent


def cells_of(source):
    """The script's cells as a notebook keeps them."""
    cells = []
    for part in source.split("# %%")[1:]:
        head, _, body = part.partition("\n")
        is_text = "[markdown]" in head
        lines = body.strip("\n").splitlines()
        if is_text:
            lines = [line.removeprefix("#").removeprefix(" ") for line in lines]
        cell = {"cell_type": "markdown" if is_text else "code", "metadata": {}, "id": f"cell-{len(cells)}",
                "source": "\n".join(lines)}
        cells.append(cell if is_text else {**cell, "execution_count": None, "outputs": []})
    return cells


def notebook_of(source):
    """A notebook, format 4.5."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells_of(source), "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def write(path, notebook):
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")
    print(path)


def main(folder):
    """Writes a notebook beside what else the examples need: they read files of this folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for script in sorted(HERE.glob("[0-9][0-9]_*.py")):
        write(folder / f"{script.stem}.ipynb", notebook_of(script.read_text()))


# Not kept: a widget is nothing without its kernel, and times and numbers of runs change.
FLEETING = ("application/vnd.jupyter.widget-view+json",)


def run(notebook, folder):
    """The notebook with the outputs of its cells."""
    import nbclient
    import nbformat

    ran = nbclient.NotebookClient(nbformat.from_dict(notebook), resources={"metadata": {"path": str(folder)}}, timeout=600,
                                  store_widget_state=False).execute()
    for cell in ran.cells:
        cell.metadata = {}
        for output in cell.get("outputs", []):
            for kind in FLEETING:
                output.get("data", {}).pop(kind, None)
    return {**ran, "metadata": notebook["metadata"]}


def run_all():
    """Makes and runs the notebooks that are kept with their outputs."""
    for script in sorted((HERE / "notebooks").glob("[0-9][0-9]_*.py")):
        write(script.with_suffix(".ipynb"), run(notebook_of(script.read_text()), script.parent))


if __name__ == "__main__":
    if sys.argv[1:] == ["--run"]:
        run_all()
    else:
        main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
