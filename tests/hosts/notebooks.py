"""Notebooks written to files, and a page on which JupyterLab or Notebook 7 shows one."""

import itertools
import json
import struct

from chromium import PATIENCE, wait_until

# In both hosts, started so that they expose their application.
_PANEL = "window.jupyterapp.shell.currentWidget"
_IS_READY = f"""() => {{
  const panel = window.jupyterapp && {_PANEL};
  if (!panel || !panel.context || !panel.context.isReady || !panel.sessionContext.isReady) return false;
  const kernel = panel.sessionContext.session && panel.sessionContext.session.kernel;
  return Boolean(kernel) && kernel.connectionStatus === 'connected' && kernel.status === 'idle';
}}"""
_EXECUTE = f"""async code => {{
  const future = {_PANEL}.sessionContext.session.kernel.requestExecute({{ code, store_history: false }});
  const out = [];
  future.onIOPub = ({{ header, content }}) => {{
    if (header.msg_type === 'stream') out.push(content.text);
    if (header.msg_type === 'error') out.push(content.traceback.join('\\n'));
  }};
  const reply = await future.done;
  return [reply.content.status, out.join('')];
}}"""

_SUBSHELL = f"""when => {{
  const kernel = {_PANEL}.sessionContext.session.kernel, ask = kernel.requestCreateSubshell;
  if (when === 'never') kernel.commsOverSubshells = 'disabled';
  if (when === 'late') kernel.requestCreateSubshell = function (...given) {{
    return {{ done: new Promise(go => setTimeout(go, 3000)).then(() => ask.apply(this, given).done) }};
  }};
}}"""
_IS_BUSY = f"""() => {_PANEL}.content.widgets.some(cell => cell.promptNode?.textContent.includes('*'))
  || {_PANEL}.sessionContext.session.kernel.status === 'busy'"""


def write_notebook(path, *cells):
    """An .ipynb of code cells, not yet run."""
    code = [{"cell_type": "code", "id": f"cell-{i}", "metadata": {}, "execution_count": None, "outputs": [], "source": source}
            for i, source in enumerate(cells)]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    path.write_text(json.dumps({"cells": code, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}))


def write_marimo(path, *cells):
    """A marimo notebook: pairs of source and the names that the source takes from other cells."""
    lines = ["import marimo", "", "app = marimo.App()", ""]
    for source, takes in cells:
        body = "\n".join(f"    {line}" for line in source.splitlines())
        lines += ["", "@app.cell", f"def _({', '.join(takes)}):", body, ""]
    path.write_text("\n".join([*lines, "", 'if __name__ == "__main__":', "    app.run()", ""]))


def _comm_content(payload):
    """What a widget's custom message of the websocket says, or None for all others."""
    if isinstance(payload, str):
        message = json.loads(payload)
        kind, content = message["header"]["msg_type"], message["content"]
    else:  # v1.kernel.websocket.jupyter.org: where the parts begin, then channel, header, parent, metadata, content, buffers
        count, = struct.unpack_from("<Q", payload)
        starts = struct.unpack_from(f"<{count}Q", payload, 8)
        parts = [payload[start:stop] for start, stop in itertools.pairwise(starts)]
        kind, content = json.loads(parts[1])["msg_type"], json.loads(parts[4])
    data = content.get("data", {}) if kind == "comm_msg" else {}
    return {"comm": content["comm_id"], **data["content"]} if data.get("method") == "custom" else None


class NotebookPage:
    """A notebook in JupyterLab ("lab") or Notebook 7 ("notebook"), with its kernel; `sent`: custom messages of its widgets."""

    def __init__(self, page, host, address, token):
        self.page, self.host, self._address, self._token = page, host, address, token
        self.sent = []
        page.on("websocket", lambda socket: socket.on("framesent", self._note))

    def _note(self, payload):
        content = _comm_content(payload)
        if content is not None:
            self.sent.append(content)

    def newest(self, k):
        """The newest custom message of a kind that any widget on the page sent."""
        return next((message for message in reversed(self.sent) if message["k"] == k), None)

    def open(self, name):
        """Load the page; returns when the kernel is idle."""
        path = f"lab/tree/{name}?token={self._token}&reset" if self.host == "lab" else f"notebooks/{name}?token={self._token}"
        self.page.goto(f"{self._address}/{path}")
        self.wait_idle()

    def wait_idle(self):
        self.page.wait_for_function(_IS_READY, timeout=2 * PATIENCE)

    def set_subshell(self, when):
        """When the host has the kernel read widgets' messages beside the running cell: "at once", "late" or "never"."""
        self.page.evaluate(_SUBSHELL, when)

    def is_busy(self):
        """Whether a cell runs."""
        return self.page.evaluate(_IS_BUSY)

    def start_all(self):
        """Run all cells, and go on while they run."""
        self.page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-all-cells'); }")

    def run_all(self):
        """Run all cells; returns when the last has ended."""
        self.page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
        self.wait_idle()
        errors = [output for cell in self.cells() for output in cell.get("outputs", []) if output["output_type"] == "error"]
        assert not errors, "\n".join(errors[0]["traceback"])

    def cells(self):
        """The cells as they would be saved."""
        return self.page.evaluate(f"() => {_PANEL}.context.model.toJSON().cells")

    def execute(self, code):
        """Run code in the kernel, apart from the notebook; what it printed."""
        status, text = self.page.evaluate(_EXECUTE, code)
        assert status == "ok", text
        return text.strip()

    def wait_printed(self, code, text):
        """Until code that is run in the kernel prints this text."""
        wait_until(self.page, lambda: self.execute(code) == text, lambda: f"{code} prints {self.execute(code)}, not {text}")

    def restart(self):
        """A new kernel, without asking."""
        self.page.evaluate(f"() => {_PANEL}.sessionContext.restartKernel()")
        self.wait_idle()

    def end_kernel(self):
        """The kernel dies while nobody looks; the host starts another one."""
        self.page.evaluate(f"() => {{ {_PANEL}.sessionContext.session.kernel.requestExecute({{ code: 'import os; os._exit(1)' }}); }}")

    def shut_down(self):
        self.page.evaluate(f"() => {_PANEL}.sessionContext.shutdown()")

    def leave(self):
        """End the kernel and close the page; a page that comes back to a live kernel has its widgets again."""
        self.shut_down()
        self.page.close()

    def save(self):
        self.page.evaluate(f"() => {_PANEL}.context.save()")
