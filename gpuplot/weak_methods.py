"""Callbacks that do not keep the object alive whose method they call."""

import weakref


def weakly(method):
    """A function that calls a method without keeping its object alive; it returns None once that is gone."""
    reference = weakref.WeakMethod(method)

    def call(*args):
        bound = reference()
        return None if bound is None else bound(*args)

    return call
