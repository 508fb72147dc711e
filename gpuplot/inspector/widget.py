"""The widget: traits and methods for Python, on top of the controller that serves pages."""

from __future__ import annotations

import base64
import sys
from typing import IO, TYPE_CHECKING, Any, Literal, Self

import traitlets
from ipywidgets import CallbackDispatcher

from ..arrays.pyramids import at_level
from ..choices import check_flag, check_integer, is_listed
from ..notices import warn
from ..options import bare
from ..picture.imsave import check_target, with_description
from ..picture.png import check_png, write_png
from ..plane.chunks.looks import KNOWN_ONLY
from ..utf8 import writable_content
from ..weak_methods import weakly
from .export.figures import make_figure
from .export.snapshot import check_sizes, snapshot_of_all, snapshot_rgba
from .export.still import data_url, describe_in_a_line, still_png
from .front_end import read_script, read_style
from .kernel.controller import Controller
from .kernel.hosts import Host
from .kernel.producers import in_order
from .lifetime import EndingLayout, Holder, is_shown_by_nobody
from .links import follow, linked, send_limits, share
from .model.scene import Scene
from .options import check_number_between, check_title, find_sliders
from .trait_sync import CONTROLS, SceneTraits

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from matplotlib.figure import Figure

    from .. import typing as t
    from .model.cursor import Cursor
    from .model.selection import Selection

NOT_SHOWN = ("an inspector is shown by a notebook (JupyterLab, Notebook 7, VS Code, Colab, marimo) and this program is not one: use "
             "gpuplot.imshow and plt.show() for a window, gpuplot.imsave for a file, or snapshot() of this inspector")


# How long a cell waits for the still of an array in chunks, at most.
STILL_SECONDS = 1.0


def _peers_of(link):
    """The inspectors of `link=`: None, one, or several."""
    if link is None:
        return []
    if isinstance(link, Inspector):
        peers = [link]
    elif is_listed(link):
        peers = []
        for peer in link:  # each is checked before the next one is asked for, as there may be no last one
            _check_kinds("link", (peer,))
            peers.append(peer)
    else:
        raise TypeError(f"link takes inspectors, not {type(link).__name__}")
    _check_peers(peers)
    return peers


def _check_kinds(method, peers):
    for peer in peers:
        if not isinstance(peer, Inspector):
            raise TypeError(f"{method} takes inspectors, not {type(peer).__name__}")


def _check_peers(peers):
    """Raises for what cannot be linked."""
    _check_kinds("link", peers)
    for peer in peers:
        peer._controller.check_open()


@bare
class Inspector(SceneTraits):
    """A tensor in a notebook; `gpuplot.inspect` makes it.

    Each control of the page is a trait: setting it acts like the control, and the trait follows the control. A value that makes
    no sense raises `traitlets.TraitError` and changes nothing. All methods and traits may be used from any thread.

    Attributes
    ----------
    item : str
        Which of several tensors is shown, by its name; may be set to its position. "" where there is one.
    index : dict of axis to int
        The position along each axis that has a slider; axes that are not in the dict which is set stay where they are.
    x, y : int or str
        The axes across and down.
    vmin, vmax : float
        The color limits in use; None finds them in the data again. Those of a line follow what is visible of it.
    limits : {"auto", "elements", "pixels"} or (float, float)
        What limits that nobody gave are found from, as `limits` of `gpuplot.imshow`; the pair ``(vmin, vmax)`` while both are
        given. Those of "elements" follow every slider and `update`; those of "auto" and "pixels" are found again only with another
        view, item, aggregation or norm. Setting one of the words discards given limits and finds limits again, in the slice that is
        shown; setting a pair gives both.
    cmap, norm, agg : str
        The colormap, norm and aggregation in use; None chooses them again as `gpuplot.inspect` does by itself: diverging
        colors around a center, classes for integers of few values.
    view : ((float, float), (float, float)) or None
        Rows and columns of the plane that are asked for; None is all of it.
    selection : Selection or None
        The box of elements that is selected: ``index``, with which ``X[w.selection.index]`` are its elements; ``rows`` and
        ``columns`` of the plane, half-open; ``stats``, what `gpuplot.stats` says of them, computed at the first access. May be set
        to ``((row0, row1), (col0, col1))``. It stays when the index changes, and is cleared when it no longer fits the plane.
    cursor : Cursor or None
        What is under the pointer, read-only: ``index``, with which ``X[w.cursor.index]`` is what is there; ``value``; ``n``, how
        many elements the pixel stands for, one where `value` is an element itself; ``item``. None while the pointer is over none.

    Examples
    --------
    >>> import gpuplot
    >>> with gpuplot.inspect([[1, 2], [3, 4]]) as w:       # doctest: +SKIP
    ...     w.cmap = "magma"
    ...     w.snapshot("matrix.png")
    """

    item: str
    index: dict[int | str, int]
    x: int | str
    y: int | str
    vmin: float | None
    vmax: float | None
    limits: Literal["auto", "elements", "pixels"] | tuple[float, float]
    cmap: str
    norm: str
    agg: str
    view: t.View | None
    selection: Selection | None
    cursor: Cursor | None

    _esm = read_script()
    _css = read_style()
    _state = traitlets.Dict().tag(sync=True, to_json=lambda _, widget: widget._state_for_pages())
    _poster = traitlets.Unicode("").tag(sync=True)
    _has_odd_texts = False
    _controller = None

    def __init__(
            self, X: t.TensorsLike, options: dict[str, Any] | None = None, *, sliders: t.Axis | Sequence[t.Axis] | None = None,
            rows: t.Axis | None = None, columns: t.Axis | None = None, histogram: bool = True, show_stats: bool = True,
            play: bool = True, values: str | bool = "auto", link: Inspector | Sequence[Inspector] | None = None,
            throttle: float = 33, max_buffered_frames: int = 2, height: int | None = None, title: str | None = None,
            level: int | None = None) -> None:
        if options is None:
            raise TypeError("an Inspector is made by gpuplot.inspect(X), with its keywords")
        self._prepare()
        self._click_handlers = CallbackDispatcher()
        throttle = check_number_between("throttle", throttle, 0, 10_000) / 1000
        max_buffered_frames = check_integer("max_buffered_frames", max_buffered_frames, 1, 16)
        shows = {"histogram": check_flag("histogram", histogram), "stats": check_flag("show_stats", show_stats),
                 "play": check_flag("play", play), "values": check_flag("values", values, "auto")}
        height = None if height is None else check_integer("height", height, 40, 8192)
        peers = _peers_of(link)
        self._stream, self._level = options["stream"], level
        scene = Scene(in_order(at_level(X, level), self._stream), options, rows=rows, columns=columns)
        scene.measure = weakly(self._measure)
        with KNOWN_ONLY.attempt():
            shows["sliders"] = find_sliders(sliders, scene.state()["axes"])
        self._controller = Controller(
            scene, Host(), weakly(self._send_now), fixed={"shows": shows, "height": height, "title": check_title(title)},
            max_buffered_frames=max_buffered_frames, throttle=throttle,
            on_change=weakly(self._sync_traits), on_views=weakly(self._count_views), on_event=weakly(self._on_pointer))
        super().__init__(layout=EndingLayout(), **self._first_values())
        self._thread.scene_values = {}
        self._controller.host.attach(self.comm)
        self._holder, self._layout_holder = Holder(self), Holder(self.layout)  # ipywidgets keeps each layout for ever
        self.link(*peers)
        if is_shown_by_nobody(self.comm):
            warn(NOT_SHOWN)

    # ---- methods ---------------------------------------------------------------------------------------------------------

    def update(self, X: t.TensorLike, name: str | None = None) -> None:
        """Shows another tensor, or the same one that was written to since; made for loops.

        This call draws a frame as long as frames cost the loop at most a tenth of its time, at most 15 per second; between
        frames the tensor is only stored. The last tensor is always drawn. Nothing is drawn if no page shows the inspector,
        and ever fewer frames if no page answers. An interrupt waits until the call is done.

        Parameters
        ----------
        X : array_like
            Its shape may be another one.
        name : str, optional
            Of several tensors the one to replace. Default: the one that is shown.

        Raises
        ------
        TypeError, ValueError
            Not a tensor, or an unknown name. An error in drawing is only a warning.
        RuntimeError
            The inspector was closed.

        Examples
        --------
        >>> for batch in loader:                      # doctest: +SKIP
        ...     train(model, batch)
        ...     w.update(model.weight)
        """
        self._controller.update(in_order(at_level(X, self._level), self._stream), name)

    def snapshot(
            self, fname: str | os.PathLike[str] | IO[bytes], *, width: int | None = None, height: int | None = None,
            scale: float | None = None, dpi: float | None = None, metadata: t.Texts | None = None, collective: bool = False) -> None:
        """Writes what is shown to a PNG file, without axes, as `gpuplot.imsave` does.

        By default the picture is as large as the page shows it, in the pixels of its screen. If no page shows it, it has one
        pixel for each element, at most 4096 a side; a small part is enlarged, each element a square of pixels, as long as the
        longer side stays within 960. A line is then 200 pixels high.

        Parameters
        ----------
        fname : str, path-like or binary file object
            A name that ends in ``.png``.
        width, height : int, optional
            Columns and rows of the picture in pixels, of each facet if there are several. With only one of them, the
            aspect of the plane is kept.
        scale : float, optional
            Pixels for each element, in place of `width` and `height`: whole ones give squares, 0.5 is half the size.
        dpi, metadata : optional
            As in `gpuplot.imsave`.
        collective : bool, default: False
            For an array spread over several processes. True: all of them make this call; the picture has all of the array, in the
            view of the first process, which writes the file. Color limits that nobody gave are those of the whole array. False:
            the picture has the part of this process.

        Raises
        ------
        ValueError
            A size that no picture has, or both `scale` and another size; a tensor without elements or axes, which has no picture.
        OSError
            The file cannot be written; it then stays as it was.

        Examples
        --------
        >>> w.snapshot("layer.png")                   # doctest: +SKIP
        >>> w.snapshot("layer.png", scale=4)          # doctest: +SKIP
        """
        check_target(fname, call="snapshot(fname, width=800)")
        check_png(fname, dpi, metadata)
        viewport, sizes = self._controller.last_viewport(), {"width": width, "height": height, "scale": scale}
        check_sizes(**sizes)
        if check_flag("collective", collective):
            # Without the lock, which pages and interrupts wait for: other processes may be late.
            pixels = snapshot_of_all(self._controller.ask(lambda scene: scene.collectively()), viewport, sizes)
        else:
            pixels = self._controller.ask(lambda scene: (snapshot_rgba(scene, viewport, **sizes), scene.state()["slice"]))
        if pixels is not None:
            rgba, where = pixels
            write_png(fname, rgba, dpi=dpi, metadata=with_description(metadata, where))

    def to_figure(self) -> Figure:
        """What is shown as a matplotlib figure: the same plane, view, colors and limits, drawn by `gpuplot.imshow`.

        Returns
        -------
        matplotlib.figure.Figure
            It keeps a large tensor, as every figure of `gpuplot.imshow` does. No window shows it; a notebook does where it
            is the last line of a cell, with or without ``%matplotlib``. ``plt.show()`` has no part in it.
        """
        return self._controller.ask(make_figure)

    def on_click(self, f: Callable[[Cursor], object], remove: bool = False) -> None:
        """Calls a function at every click on an element, as that of an ipywidgets button.

        A click is a press of the main button, or a finger, that leaves the place where it came; the second one of a double
        click, which shows all of the plane, is not a click. What `f` raises is shown as an error of the cell.

        Parameters
        ----------
        f : callable
            ``f(cursor)``, with what `cursor` has over the element.
        remove : bool, default: False
            True: `f` is no longer called.

        Examples
        --------
        >>> w.on_click(lambda cursor: print(cursor.index, cursor.value))      # doctest: +SKIP
        """
        self._click_handlers.register_callback(f, remove=remove)

    def link(self, *others: Inspector) -> None:
        """Shows the same part and index as other inspectors from now on, and they as this one; it goes to where they are.

        Limits that nobody gave are those of all of them together, so that equal colors mean equal values. Limits that are
        given or let go of on one of them, by hand or by code, and "robust" and `limits`, are so on all; limits that another
        one has when it is linked are taken over. That is for inspectors with the same norm whose colors are a scale of numbers:
        images of colors, phases, classes and lines, ranked colors, `Normalize` objects of your own, and sums, spreads or
        differences beside plain elements keep theirs. Axes that only one of two tensors has, and elements that one lacks,
        stay out of it.

        Parameters
        ----------
        *others : Inspector

        Raises
        ------
        RuntimeError
            One of them was closed, this one or another.
        """
        _check_peers((self, *others))
        for other in others:
            if other is not self:
                follow(self, other, ("view", "index"))
                if (other._given["vmin"], other._given["vmax"]) != (None, None):
                    send_limits(other, self, tuple(other._given))
                self._peers.add(other)
                other._peers.add(self)
        share(linked(self))

    def unlink(self, *others: Inspector) -> None:
        """Ends `link` with these inspectors, or with all."""
        _check_kinds("unlink", others)
        apart = others or tuple(self._peers)
        for other in apart:
            self._peers.discard(other)
            other._peers.discard(self)
        for one in (self, *apart):
            share(linked(one))

    def close(self) -> None:
        """Releases the tensor and all that was made of it, and takes the inspector off every page; idempotent."""
        if self._controller is not None:
            self._controller.close()
            self._range = None
            self.unlink()
        super().close()

    def __del__(self, is_finalizing=sys.is_finalizing):
        if not is_finalizing():
            self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    # ---- callbacks of the controller -----------------------------------------------------------------------------------------

    def _measure(self, selection):
        return self._controller.ask(lambda scene: scene.measured(selection))

    def _state_for_pages(self):
        return {} if self._controller.is_closed else self._controller.state()

    def _on_pointer(self, event, cursor):
        """Handles ("cursor", Cursor or None) and ("click", Cursor)."""
        if event == "click":
            self._click_handlers(cursor)
        else:
            self.set_trait("cursor", cursor)

    # ---- display --------------------------------------------------------------------------------------------------------

    def _repr_mimebundle_(self, **kwargs):
        """The view, and a still for viewers without a kernel."""
        data, metadata = super()._repr_mimebundle_(**kwargs)
        self._holder.displayed()
        self._controller.expect_page()
        still = self._controller.ask(still_png, seconds=STILL_SECONDS)
        if still is not None:
            png, (width, height) = still
            data = data | {"image/png": base64.b64encode(png).decode("ascii")}
            metadata = (metadata or {}) | {"image/png": {"width": width, "height": height}}
            self._poster = data_url(png)
        return data, metadata

    def __repr__(self):
        controller = self.__dict__.get("_controller")
        if controller is None or controller.is_closed:
            return "<Inspector, closed>"
        return f"<{controller.ask(lambda scene: describe_in_a_line(scene.state()))}>"

    def _count_views(self, is_gone):
        self._holder.gone() if is_gone else self._holder.came()

    # ---- messages --------------------------------------------------------------------------------------------------------

    def _handle_msg(self, msg):
        """Handles data of the comm; errors are sent to pages, not raised in a cell."""
        try:
            data = msg["content"]["data"]
            method = data["method"]
            if method == "custom":
                self._controller.receive(data.get("content"))
            elif method == "update":
                self._controller.host.note_handler()
                self.set_state({name: value for name, value in data["state"].items() if name in CONTROLS})
            elif method == "request_state":
                self.send_state()
        except Exception as error:
            self._controller.refuse(error)

    def open(self):
        # docstring inherited
        try:
            super().open()
        except UnicodeEncodeError:  # a name or label with lone surrogates
            self._has_odd_texts = True
            super().open()

    def get_state(self, key=None, drop_defaults=False) -> dict[str, Any]:
        # docstring inherited
        self._thread.n_sending += 1  # nothing is waited for
        try:
            state = super().get_state(key, drop_defaults)
        finally:
            self._thread.n_sending -= 1
        return writable_content(state) if self._has_odd_texts else state

    def _send(self, msg, buffers=None):
        """Sends through the outbox, so that messages keep their order."""
        if self._controller is not None and self.comm is not None:
            self._controller.put(msg, buffers)

    def _send_now(self, msg, buffers):
        comm = self.comm
        if comm is not None:
            comm.send(data=msg, buffers=buffers)
