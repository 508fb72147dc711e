"""Which tensors of the files of a command line a graph draws, and what they are called."""

from pathlib import Path

from .address import chosen_items, one_item

# Most names that a notice lists.
MAX_LISTED = 3


def items_to_draw(command, is_one_file, items, path, name, say):
    """The `Item` of a name in a file; of a histogram all below that name that have axes, and of the curves of one file all.

    `say` is called with notices about items that are left out.
    """
    takes_all = command == "hist" or (command == "plot" and is_one_file)
    if not items or not takes_all:
        return [one_item(items, path, name)]
    chosen = chosen_items(items, path, name)
    several = _curves(chosen, say) if command == "plot" else [item for item in chosen if item.shape]
    if len(several) > 1:
        several = _without_texts(several, command, say)
    return several or [one_item(items, path, name)]


def _curves(items, say):
    """The items of one axis; a notice names the others, if there are curves."""
    curves = [item for item in items if len(item.shape) == 1]
    others = [item.name for item in items if len(item.shape) != 1]
    if curves and others:
        more = f" and {len(others) - MAX_LISTED} more" if len(others) > MAX_LISTED else ""
        say(f"{', '.join(others[:MAX_LISTED])}{more}: not of one axis, and not drawn")
    return curves


def _without_texts(items, command, say):
    """The items without texts and what else has no numbers, and without dates in a histogram; a notice names these."""
    left_out = [item for item in items if not _can_be_drawn(item, command)]
    if not left_out or len(left_out) == len(items):
        return items
    say(f"{', '.join(item.name for item in left_out)}: no numbers, and not drawn")
    for item in left_out:
        if item.is_column and item.note:
            say(item.note)
    return [item for item in items if item not in left_out]


def _can_be_drawn(item, command):
    """Whether an item has numbers, or dates, over which lines can be drawn."""
    return command == "plot" if item.dates is not None else item.has_numbers


def can_be_dates(command, k, n, is_one_file):
    """Whether item `k` of `n` may have dates: the x of lines, which is any of the curves of one file, and x and y of points."""
    if n < 2:
        return False
    return (command == "plot" and (is_one_file or k == 0)) or (command == "scatter" and k < 2)


def by_name(paths, items, tensors):
    """{name: tensor}: named by tensor, by file where a tensor has no name, and by both where names are equal."""
    names = [item.name or path.stem for path, item in zip(paths, items, strict=True)]
    if len(set(names)) < len(names):
        ends = _distinct_ends(paths)
        names = [f"{end}#{item.name}" if item.name else end for end, item in zip(ends, items, strict=True)]
    if len(set(names)) < len(names):
        names = [f"{name} ({k})" for k, name in enumerate(names)]
    return dict(zip(names, tensors, strict=True))


def _distinct_ends(paths):
    """The last parts of paths, as many as tell different files apart."""
    for n in range(1, max(len(path.parts) for path in paths)):
        ends = {path: str(Path(*path.parts[-n:])) for path in paths}
        if len(set(ends.values())) == len(ends):
            return [ends[path] for path in paths]
    return [str(path) for path in paths]
