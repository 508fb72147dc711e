# %% [markdown]
# # pandas and polars: a table as a picture
# A year of a solar roof: one row a day, one column for each five minutes. Readings that are missing stay missing, and get a
# color of their own.

# %%
import os
import pathlib

import matplotlib.pyplot as plt
import numpy as np

import gpuplot

try:
    import pandas
except ImportError:
    raise SystemExit("this example needs pandas: pip install pandas") from None
try:
    import polars
except ImportError:
    polars = None  # the same picture without it

HERE = pathlib.Path(__file__).resolve().parent if "__file__" in globals() else pathlib.Path.cwd()
OUTPUT = HERE.parent / "output"
OUTPUT.mkdir(exist_ok=True)
plt.style.use(HERE.parent / "quiet.mplstyle")
n_days = int(os.environ.get("GPUPLOT_EXAMPLE_SIZE", 365))

# %% [markdown]
# The height of the sun at 52 degrees north, and clouds that come and go within hours and weeks.

# %%
rng = np.random.default_rng(5)
day, hour = np.arange(n_days)[:, None], np.arange(288)[None, :] / 12
tilt = -0.409 * np.cos(2 * np.pi * (day + 10) / 365)
height = np.sin(0.908) * np.sin(tilt) + np.cos(0.908) * np.cos(tilt) * np.cos((hour - 12.6) * np.pi / 12)


def smooth(values, width):
    """A running mean along the last axis, as strong as what it came from."""
    kernel = np.hanning(width + 2)[1:-1]
    return np.apply_along_axis(np.convolve, -1, values, kernel / np.sqrt((kernel ** 2).sum()), "same")


weather = smooth(rng.normal(size=n_days), 9)[:, None] + 0.3
clouds = smooth(rng.normal(size=(n_days, 288)), 30) + 0.6 * smooth(rng.normal(size=(n_days, 288)), 5) + weather
power = 9.6 * np.clip(height, 0, None) ** 1.2 / (1 + np.exp(1.5 * clouds - 0.5))
table = pandas.DataFrame(power.astype(np.float32), columns=[f"{h // 12:02d}:{h % 12 * 5:02d}" for h in range(288)])
table = table.astype("Float32")  # nullable
table.iloc[n_days * 6 // 10:n_days * 6 // 10 + 9, 40:] = pandas.NA
table.iloc[n_days // 4:n_days // 4 + 2, 150:190] = pandas.NA
print(f"table: {table.shape[0]} days x {table.shape[1]} columns of {table.dtypes.iloc[0]}, {int(table.isna().sum().sum())} missing")

# %%
fig, ax = plt.subplots(figsize=(8.6, 4.6), layout="compressed")
gpuplot.imshow(table, ax=ax, x=0, y=1, origin="lower", aspect="auto", extent=(0, n_days, 0, 24), vmin=0, colorbar={"label": "kW"},
               cmap=plt.get_cmap("inferno").with_extremes(bad="#3a6f8f"))
ax.set(title="Power of a roof, a column a day; blue: no reading", xlabel="day", ylabel="hour", yticks=range(0, 25, 6))
fig.savefig(OUTPUT / "dataframes.png")

# %% [markdown]
# The numbers: one block of float32, NaN where a reading is missing. A polars table gives the same.

# %%
host = gpuplot.asnumpy(table)
print(f"as NumPy: {host.shape} {host.dtype}, {np.isnan(host).sum()} NaN, {np.nansum(host) / 12:.0f} kWh in all")
if polars:
    columns = {str(name): column.to_numpy("float32", na_value=np.nan) for name, column in table.items()}
    same = gpuplot.asnumpy(polars.DataFrame(columns, nan_to_null=True))
    print(f"from polars: {same.shape} {same.dtype}, equal: {np.array_equal(same, host, equal_nan=True)}")
print(f"{OUTPUT}/dataframes.png")
