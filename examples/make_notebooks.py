"""Turns the numbered examples into notebooks in examples/output, one cell for each `# %%`. usage: make_notebooks.py [FOLDER]"""

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


def main(folder):
    """Writes a notebook beside what else the examples need: they read files of this folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for script in sorted(HERE.glob("[0-9][0-9]_*.py")):
        path = folder / f"{script.stem}.ipynb"
        path.write_text(json.dumps(notebook_of(script.read_text()), indent=1) + "\n")
        print(path)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
