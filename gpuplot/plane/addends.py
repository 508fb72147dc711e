"""Refuses results other than sums and means of elements that are spread over processes as addends."""

from ..errors import UnsupportedError

# Reason for the refusal, and what to do instead.
OF_ADDENDS = ("every process has one of several addends of each element, of which only means and sums are known before they are added "
              "up: X.redistribute(placements=[Replicate()] * X.device_mesh.ndim), in every process")


def check_linear(view, agg, nan, want):
    """UnsupportedError where cells are not means or sums of elements, or limits of elements are wanted."""
    is_linear = agg in ("mean", "sum") and nan != "skip" and not want and not view.is_rgb
    is_linear &= view.complex_mode in (None, "real", "imaginary") and not set(view.stage_ops) - {"mean", "sum"}
    if not is_linear:
        raise UnsupportedError(f"this is no mean or sum of the elements: {OF_ADDENDS}")
