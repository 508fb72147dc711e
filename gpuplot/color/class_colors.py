"""The palette of class numbers: 128 colors that differ from each other, of which number v has the v-th."""

from __future__ import annotations

import matplotlib as mpl
from matplotlib.colors import to_rgb

__all__ = ["N_PALETTE", "palette"]

# Behind the 20 of tab20: each is the color farthest from all before it in CIELAB, out of a grid of sRGB without what is nearly
# black, white or gray. No two of the 128 are nearer than the nearest two of tab20, a distance of 16.
_FURTHER = (
    "0000ff ff00f8 00ff00 204000 3808a0 ff0080 700048 0070ff 886800 00ff88 b8f800 009068 00ffd8 a800a0 383050 700800 a040ff ffb800 "
    "003088 004848 788850 c03858 c86838 e078ff ff00b8 6898ff 50d010 608000 ff0000 503808 985880 30c0ff 600870 ffe800 c02080 c0f0c8 "
    "c8f868 0048f8 8050d8 00c880 d08818 e8b0ff 006810 108098 78b098 78b000 ffd8b8 b08050 ff1858 ffd868 a8a040 50ffff 681828 ff6868 "
    "ff70a0 8078a8 303820 804000 386848 28c8b0 60a050 583878 78e060 503030 c84800 0000c8 105070 b8b890 b800d0 a088ff a0b8ff 1860b8 "
    "983888 40ff58 a8c858 f860d8 585808 c06878 786848 78ffa0 b03830 008078 0840c0 b89800 ff9850 8800ff 90f8c0 104078 c8e018 ff7048 "
    "ff98ff 88ff28 ff5810 a850c0 ff50b0 78a0b0 c088c0 705868 6040a8 f050f0 d000ff 8010b0 602848 f8e0f8 602810 68c088 e888b0 e8a888 "
)

N_PALETTE = 128


def palette():
    """128 RGB colors: tab20's even entries, which are tab10, then its odd ones, then others."""
    colors = mpl.colormaps["tab20"].colors
    return [*colors[::2], *colors[1::2], *(to_rgb(f"#{code}") for code in _FURTHER.split())]
