"""A made-up telescope mosaic, built in strips: a nebula, stars two or three elements wide, a satellite, dead elements."""

import numpy as np

STRIP_ROWS = 512


def fractal(n, slope, rng):
    """A periodic (n, n) field with a power-law spectrum, mean 0 and standard deviation 1."""
    frequency = np.hypot(np.fft.fftfreq(n)[:, None], np.fft.rfftfreq(n))
    frequency[0, 0] = np.inf
    waves = np.fft.rfft2(rng.standard_normal((n, n))) * frequency ** -slope
    field = np.fft.irfft2(waves, (n, n))
    return ((field - field.mean()) / field.std()).astype(np.float32)


def nebula(n, rng):
    """Glowing gas with filaments, behind dust, on a small grid."""
    glow, threads, dust = (fractal(n, slope, rng) for slope in (1.9, 1.6, 1.9))
    y, x = np.mgrid[-1:1:n * 1j, -1:1:n * 1j]
    envelope = np.exp(-((x + 0.15 * y) ** 2 * 1.4 + (y - 0.3 * x) ** 2 * 3))
    gas = np.exp(0.9 * glow) * (0.4 + 1.6 * np.exp(-3.5 * np.abs(threads)))
    return (30 * envelope * gas / (1 + np.exp(3 * (dust - 0.4)))).astype(np.float32)


def enlarge(small, rows, n_cols):
    """Some rows of a small square grid blown up to `n_cols` columns, linearly between its points."""
    def between(position):
        low = np.minimum(position.astype(np.int64), small.shape[0] - 2)
        return low, (position - low).astype(np.float32)

    row, part = between(rows * ((small.shape[0] - 1) / n_cols))
    strip = small[row] + part[:, None] * (small[row + 1] - small[row])
    col, part = between(np.arange(n_cols) * ((small.shape[1] - 1) / n_cols))
    steps = np.diff(strip, axis=1)
    return strip[:, col] + part * steps[:, col]


def add_stars(sky, rows, cols, peaks, radius, width):
    """Adds round stars in place: a core `width` elements wide with faint wings, cut off at `radius`."""
    dy, dx = np.mgrid[-radius:radius + 1, -radius:radius + 1]
    shape = (1 + (dy ** 2 + dx ** 2) / width ** 2) ** -2.5
    inside = (rows >= radius) & (rows < len(sky) - radius) & (cols >= radius) & (cols < len(sky) - radius)
    for start in range(0, inside.sum(), 20_000):
        part = np.flatnonzero(inside)[start:start + 20_000, None, None]
        np.add.at(sky, (rows[part] + dy, cols[part] + dx), (peaks[part] * shape).astype(np.float32))


def mosaic(n=16384, seed=7):
    """The whole sky.

    Returns
    -------
    sky : ndarray (n, n) float32
        Counts above the background. Three columns and one element in the middle of a cluster are NaN.
    dead : tuple of int
        Row and column of that element.
    """
    rng = np.random.default_rng(seed)
    gas = nebula(512, rng)
    sky = np.empty((n, n), np.float32)
    for start in range(0, n, STRIP_ROWS):
        strip = sky[start:start + STRIP_ROWS]
        rng.standard_normal(out=strip, dtype=np.float32)
        strip += enlarge(gas, np.arange(start, start + len(strip)), n)

    n_stars = n * n // 7000
    place = rng.integers(0, n, (2, n_stars))
    add_stars(sky, *place, 8 * rng.pareto(1.1, n_stars).clip(0, 4000), 4, 1.3)
    bright = rng.integers(0, n, (2, 60))
    add_stars(sky, *bright, rng.uniform(3000, 60000, 60), n // 60, n / 1600)

    dead = (round(0.36 * n), round(0.68 * n))
    n_cluster = n // 4
    shares = rng.uniform(0, 0.985, n_cluster)
    distance = n / 70 * np.sqrt(shares / (1 - shares))
    angle = rng.uniform(0, 2 * np.pi, n_cluster)
    cluster = [(dead[0] + distance * np.sin(angle)).astype(int), (dead[1] + distance * np.cos(angle)).astype(int)]
    add_stars(sky, *cluster, rng.pareto(1.2, n_cluster).clip(0, 60) * 60 + 15, 5, 1.4)
    add_stars(sky, np.array([dead[0] - 1]), np.array([dead[1] - 2]), np.array([1500.0]), 24, 3.0)

    across = np.arange(n)
    sky[(0.93 * n - 0.42 * across).astype(int), across] += 400
    sky[:, [n // 5, n // 5 + 1, round(0.83 * n)]] = np.nan
    sky[dead] = np.nan
    return sky, dead
