"""`cached_property`: the value, and that threads do not wait for each other."""

import threading
from pathlib import Path

import pytest

import gpuplot
from gpuplot.cached import cached_property


class Value:
    def __init__(self, go=None):
        self.go, self.n_computed = go, 0

    @cached_property
    def answer(self):
        """What it is."""
        self.n_computed += 1
        if self.go is not None:
            self.go.wait(60)
        return 42 if self.n_computed == 1 else None


def test_a_value_is_computed_once_for_each_object():
    value, other = Value(), Value()
    assert (value.answer, value.answer, value.n_computed, other.n_computed) == (42, 42, 1, 0)
    assert Value.answer.__doc__ == "What it is."
    value.__dict__.pop("answer")
    assert value.answer is None


def test_no_thread_waits_while_another_one_computes():
    """With Python 3.11's `functools.cached_property` it did, and so did a forked child, for ever."""
    go, got = threading.Event(), []
    slow = threading.Thread(target=lambda: got.append(Value(go).answer))
    quick = threading.Thread(target=lambda: got.append(Value().answer))
    try:
        slow.start()
        quick.start()
        quick.join(10)
        assert got == [42]
    finally:
        go.set()
        slow.join()
        quick.join()


def test_no_class_of_the_package_has_the_property_with_a_lock():
    """A child that was forked while another thread found the range of a histogram waited for ever, in Python 3.11."""
    modules = Path(gpuplot.__file__).parent.rglob("*.py")
    assert [module.name for module in modules if "functools import cached_property" in module.read_text()
            or "@functools.cached_property" in module.read_text()] == []


def test_what_a_value_raises_is_raised_again():
    class Never:
        @cached_property
        def answer(self):
            raise LookupError

    value = Never()
    for _ in range(2):
        with pytest.raises(LookupError):
            value.answer  # noqa: B018
