"""What tensors and differences of two have in common as items of an inspector."""

from ...plane.view import choose


class ShownItem:
    """An item; a subclass has its `source`, and as `complex_modes` the modes that can be chosen, none for real dtypes."""

    # Why there are no elements to show, "" if there are.
    why_missing = ""

    def check_there(self):
        """UnsupportedError if there are no elements to show."""

    def complex_mode(self, chosen):
        """The mode in use: the chosen one, if the item has it."""
        modes = self.complex_modes
        return chosen if not modes or chosen in modes else modes[0]

    def first_view(self):
        """The default plane, not as colors."""
        return choose(self.source.shape, None, self.source.dtype, rgb=False)
