"""The page of a recorder, opened from its folder: the slider shows what was recorded at a step."""

import numpy as np
from chromium import PATIENCE

import gpuplot


def weights(step):
    return np.random.default_rng(step).normal(size=(20, 30))


def test_the_slider_shows_each_step(browser, tmp_path):
    with gpuplot.Recorder(tmp_path / "run", wait=True) as record:
        for step in range(4):
            record.image("weights", weights(step), step)
            record.stats("weights", weights(step), step)
        record.stats("<b>late</b>", np.array([np.nan, 1.0]), 3)
    tab = browser.new_page()
    tab.set_default_timeout(PATIENCE)
    problems = []
    tab.on("pageerror", lambda error: problems.append(str(error)))
    tab.goto((tmp_path / "run/index.html").as_uri())
    assert tab.locator("#said").inner_text() == "step 3"
    assert tab.locator("h2 span").all_inner_texts() == ["weights", "<b>late</b>"]
    assert tab.locator("dd.bad").all_inner_texts() == ["1"]
    tab.locator("#step").fill("1")
    assert tab.locator("#said").inner_text() == "step 1"
    image = tab.locator("img")
    assert image.get_attribute("src").endswith("-000000001.png")
    tab.wait_for_function("document.querySelector('img').naturalWidth === 30")
    assert tab.locator("dd").first.inner_text() == f"{gpuplot.stats(weights(1)).min:.4g}"
    assert tab.locator("h2 small").nth(1).inner_text() == "not yet"
    tab.close()
    assert problems == []
