"""One browser and one Jupyter server for this folder, and a notebook's page for each test; errors on a page are failures."""

import pytest
from chromium import PATIENCE, Watch, chromium_or_skip

from . import servers
from .notebooks import NotebookPage, write_notebook

# What the hosts say about themselves, with or without a widget on the page. Notebook 7.6: about an empty notebook, and where
# JupyterLab was open before on the same server, whose last folder it cannot go to. Both: when a kernel is started anew.
KNOWN = (
    "Cannot read properties of undefined (reading 'schema')", "Command 'filebrowser:open-path' not registered.",
    "Could not restore the debugger state: Canceled future for debug_request message",
    ".woff2)",  # Notebook's own fonts, which a page that was opened with a token may be refused before it has its cookie
)
NEEDED = ("anywidget", "jupyterlab", "notebook", "ipykernel")


@pytest.fixture(scope="package")
def browser():
    with chromium_or_skip() as browser:
        yield browser


@pytest.fixture(scope="package")
def jupyter(tmp_path_factory):
    """(folder, address, token) of a server with JupyterLab and Notebook 7."""
    for name in NEEDED:
        pytest.importorskip(name, reason=f"{name} is not installed: no notebook is run")
    folder = tmp_path_factory.mktemp("jupyter")
    with servers.jupyter(folder) as (address, token):
        yield folder, address, token


@pytest.fixture
def open_browser_page(browser):
    """A function that opens an empty page, which is watched; `ignored` are texts of errors that are the host's own."""
    opened = []

    def open_one(ignored=(), **options):
        context = browser.new_context(**{"viewport": {"width": 1400, "height": 1000}, **options})
        context.set_default_timeout(PATIENCE)
        opened.append((context, Watch(context, ignored)))
        page = context.new_page()
        page.watch = opened[-1][1]
        return page

    yield open_one
    problems = [problem for _, watch in opened for problem in watch.problems]
    for context, _ in opened:
        context.close()
    assert problems == []


@pytest.fixture
def open_notebook(jupyter, open_browser_page, request):
    """A function: `open_notebook("lab", cell, cell, ...)`, a notebook of these cells, not yet run."""
    folder, address, token = jupyter

    def open_one(host, *cells, name=None, **options):
        if name is None:
            name = f"{request.node.name.translate(str.maketrans('[]/ ', '----'))}.ipynb"
            write_notebook(folder / name, *cells)
        notebook = NotebookPage(open_browser_page(KNOWN, **options), host, address, token)
        notebook.name, notebook.path = name, folder / name
        notebook.open(name)
        return notebook

    return open_one
