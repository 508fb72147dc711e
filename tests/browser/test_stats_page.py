"""The tables of statistics that notebooks show, in cells of any width."""

import pytest

import gpuplot

LAYERS = {f"blocks.{i}.attention.query.weight": [[1e-3 * i, -1.0, 2.5e-4], [0.0, i, 3.0]] for i in range(3)}


@pytest.mark.parametrize("width", [1200, 500])
def test_pictures_in_tables_keep_their_width(browser, width):
    tab = browser.new_page(viewport={"width": width, "height": 400})
    for found in (gpuplot.stats(LAYERS), gpuplot.stats([[1.0, -2.0, 3.0]] * 4, dim=1)):
        tab.set_content(found._repr_html_())
        widths = tab.locator("svg").evaluate_all("all => all.map(one => one.getBoundingClientRect().width)")
        assert len(widths) >= 8 and set(widths) == {90}
    tab.close()
