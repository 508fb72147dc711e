"""What cells should be, in float64 on the device: coverage as matrices, so that the definition is one product; not timed."""

import definition

CHUNK_ELEMS = 1 << 26


def _edges(n_elems, n_cells):
    """Floors, ceilings and fractions of the cells' edges, in whole numbers."""
    floors = [p * n_elems // n_cells for p in range(n_cells + 1)]
    ceilings = [-(-p * n_elems // n_cells) for p in range(n_cells + 1)]
    return floors, ceilings


def coverage(n_elems, n_cells, device):
    """(cells, elements) float64: which part of each element each cell covers; one element a cell where cells are not wider."""
    import torch

    if n_elems <= n_cells:
        picked = torch.tensor([(2 * p + 1) * n_elems // (2 * n_cells) for p in range(n_cells)], device=device)
        return torch.nn.functional.one_hot(picked, n_elems).double()
    whole, part = zip(*(divmod(p * n_elems, n_cells) for p in range(n_cells + 1)), strict=True)
    whole, part = (torch.tensor(numbers, dtype=torch.float64, device=device) for numbers in (whole, part))
    edges = whole + part / n_cells
    j = torch.arange(n_elems, dtype=torch.float64, device=device)
    return (torch.minimum(j + 1, edges[1:, None]) - torch.maximum(j, edges[:-1, None])).clamp_(min=0)


def _product(rows, t, cols, per_element):
    """rows @ per_element(t) @ cols.T, some rows of the tensor at a time."""
    step = max(1, CHUNK_ELEMS // t.shape[1])
    return sum(rows[:, i:i + step] @ (per_element(t[i:i + step].double()) @ cols.T) for i in range(0, t.shape[0], step))


def mean(t, shape, nan):
    """Area means; NaN where an element is one ('show') or all are ('skip')."""
    rows, cols = coverage(t.shape[0], shape[0], t.device), coverage(t.shape[1], shape[1], t.device)
    n = _product(rows, t, cols, lambda x: (~x.isnan()).double())
    result = _product(rows, t, cols, lambda x: x.nan_to_num(nan=0.0)) / n
    if nan == "show":
        touched = _product((rows > 0).double(), t, (cols > 0).double(), lambda x: x.isnan().double())
        result[touched > 0] = float("nan")
    return result


def extreme(t, shape, agg):
    """Extremes over touched elements, for cells wider than an element."""
    import torch

    step = max(1, CHUNK_ELEMS // t.shape[1])
    (row_floors, row_ceilings), (col_floors, col_ceilings) = _edges(t.shape[0], shape[0]), _edges(t.shape[1], shape[1])
    pick = torch.Tensor.amax if agg == "max" else torch.Tensor.amin
    bands = []
    for q in range(shape[0]):
        band = t[row_floors[q]:row_ceilings[q + 1]]
        parts = torch.stack([pick(band[i:i + step].double(), 0) for i in range(0, band.shape[0], step)])
        bands.append(pick(parts, 0))
    high = torch.stack(bands)
    return torch.stack([pick(high[:, col_floors[p]:col_ceilings[p + 1]], 1) for p in range(shape[1])], 1)


def cells(t, shape, agg="mean", nan="show"):
    """Cells as a host array."""
    if agg == "mean":
        result = mean(t, shape, nan)
    elif agg in ("max", "min"):
        result = extreme(t, shape, agg)
    elif agg == "absmax":
        high, low = extreme(t, shape, "max"), extreme(t, shape, "min")
        result = high.where(high >= -low, low)
    else:
        blocks = t.reshape(shape[0], t.shape[0] // shape[0], shape[1], t.shape[1] // shape[1]).double()
        result = blocks.std((1, 3), correction=0)
    return result.cpu().numpy()


def limits(t):
    """Smallest and largest element of a tensor without NaN."""
    import torch

    low, high = torch.aminmax(t)
    return float(low), float(high)


def picture(t, shape, agg="mean"):
    """Pixels of the cells, with the limits of the elements."""
    return definition.colors(cells(t, shape, agg), *limits(t))


def colors(t, norm):
    """Pixels of cells that are there already, between -3 and 6."""
    return definition.colors(t.double().cpu().numpy(), -3, 6, norm)


def colors_of_elements(t):
    """One pixel an element, with the limits of the elements."""
    return definition.colors(t.double().cpu().numpy(), *limits(t))
