"""A widget that refuses misspelled attributes, whose assignment would have no effect."""

import inspect as python_inspect

import anywidget

from ..advice import about_setting
from ..options import CELLS, STREAM, STYLE, VIEW


class KnownNames(type(anywidget.AnyWidget)):
    """Sets `_is_made` after `__init__`, also of subclasses."""

    def __call__(cls, *args, **keywords):
        made = super().__call__(*args, **keywords)
        made._is_made = True
        return made


class SealedWidget(anywidget.AnyWidget, metaclass=KnownNames):
    """A widget that refuses new public attributes whose names resemble its own."""

    _is_made = False
    # Names that the error lists.
    _settable = ()

    def __setattr__(self, name, value):
        if self._is_made and not name.startswith("_") and name not in self.__dict__ and not hasattr(type(self), name):
            advice = about_setting(name, self._settable, _keywords(type(self)))
            if advice is not None:
                raise AttributeError(advice)
        super().__setattr__(name, value)


def _keywords(kind):
    """The keywords of `inspect`."""
    own = [python_inspect.signature(base.__init__).parameters.values() for base in kind.__mro__ if "__init__" in vars(base)]
    return [*VIEW, *CELLS, *STYLE, *STREAM, *(one.name for parameters in own for one in parameters if one.kind is one.KEYWORD_ONLY)]
