"""The hooks of a watched module: they test one flag, and pass on the requested tensor."""

import sys


def _hook_of_copies(*_):
    """Does nothing: replaces a hook in copies and pickles of a module, which are not watched."""


def _for_copies():
    return _hook_of_copies


class Hook:
    """A callable that passes torch's arguments to ``see(...)`` while ``is_wanted``.

    Copies and pickles of it do nothing, as copies of a module are not watched. torch.compile leaves it out of its graphs.

    Attributes
    ----------
    is_wanted : bool
    see : callable
    """

    __slots__ = ("_untraced", "is_wanted", "see")

    def __init__(self, see, is_wanted=False):
        self.see, self.is_wanted, self._untraced = see, is_wanted, None

    def _hand_on(self, *args):
        """Calls `see`, which torch.compile, where it is loaded, must not trace."""
        dynamo = sys.modules.get("torch._dynamo")
        if self._untraced is None and hasattr(dynamo, "disable"):
            self._untraced = dynamo.disable(self.see)
        (self._untraced or self.see)(*args)

    def __reduce__(self):
        return _for_copies, ()

    def __deepcopy__(self, memo):
        return _hook_of_copies


def _left_out_of_graphs(method):
    """Makes torch.compile call a method between two graphs: in a graph, `is_wanted` would be a constant."""
    method._torchdynamo_disable, method._torchdynamo_disable_msg = True, "it looks at a flag that gpuplot.watch changes"
    return method


class StepHook(Hook):
    """For ``register_forward_pre_hook`` of the whole module."""

    __slots__ = ()

    @_left_out_of_graphs
    def __call__(self, module, args):
        if self.is_wanted:
            self._hand_on()


class OutputHook(Hook):
    """For ``register_forward_hook``."""

    __slots__ = ()

    @_left_out_of_graphs
    def __call__(self, module, args, output):
        if self.is_wanted:
            self._hand_on(output)


class GradientHook(Hook):
    """For ``register_post_accumulate_grad_hook``."""

    __slots__ = ()

    @_left_out_of_graphs
    def __call__(self, parameter):
        if self.is_wanted:
            self._hand_on(parameter)
