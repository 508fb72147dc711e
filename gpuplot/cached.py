"""A `cached_property` without a lock."""


class cached_property:  # named as functools.cached_property, whose place it takes
    """As `functools.cached_property` from Python 3.12 on: threads do not wait for each other, and may compute the value twice.

    Before, all objects of a class share one lock for each property, for which a child that is forked meanwhile waits for ever.
    """

    def __init__(self, function):
        self._function, self.__doc__ = function, function.__doc__

    def __set_name__(self, owner, name):
        self._name = name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        value = instance.__dict__[self._name] = self._function(instance)  # found there before this descriptor from now on
        return value
