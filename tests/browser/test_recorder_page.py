"""The page of a recorder, opened from its folder: the slider shows what was recorded at a step."""

import json
from itertools import pairwise

import numpy as np
from chromium import PATIENCE

import gpuplot
from gpuplot.recording.page import page


def weights(step):
    return np.random.default_rng(step).normal(size=(20, 30))


def test_the_slider_shows_each_step(browser, tmp_path):
    with gpuplot.Recorder(tmp_path / "run", wait=True) as record:
        for step in range(4):
            record.image("weights", weights(step), step)
            record.stats("weights", weights(step), step)
        record.stats("<b>late</b>", np.array([np.nan, 1.0]), 3)
        for step, loss in enumerate([2.0, 0.25, np.nan, 0.5]):
            record.scalar("loss", loss, step)
    tab = browser.new_page()
    tab.set_default_timeout(PATIENCE)
    problems = []
    tab.on("pageerror", lambda error: problems.append(str(error)))
    tab.goto((tmp_path / "run/index.html").as_uri())
    assert tab.locator("#said").inner_text() == "step 3"
    assert tab.locator("h2 span").all_inner_texts() == ["loss", "weights", "<b>late</b>"]
    loss = tab.locator("section").first
    assert loss.locator("small").inner_text() == "0.5"
    assert loss.locator("p span").all_inner_texts() == ["0.25 to 2", "", "steps 0 to 3"]
    assert loss.locator("p").get_attribute("title") == "1 steps with NaN or infinities, from step 2 on"
    assert tab.locator("p span", has_text="min, mean, max").count() == 2
    found = gpuplot.stats(weights(3))
    assert tab.locator("img + p span").all_inner_texts() == ["", f"colors from {found.min:.4g} to {found.max:.4g}"]
    assert tab.locator("dd.bad").all_inner_texts() == ["1"]
    tab.locator("#step").fill("1")
    assert tab.locator("#said").inner_text() == "step 1"
    image = tab.locator("img")
    assert image.get_attribute("src").endswith("-000000001.png")
    tab.wait_for_function("document.querySelector('img').naturalWidth === 30")
    assert tab.locator("dd").first.inner_text() == f"{gpuplot.stats(weights(1)).min:.4g}"
    assert tab.locator("h2 small").all_inner_texts() == ["0.25", "", "not yet"]
    tab.locator("#step").fill("2")
    assert tab.locator("h2 small").first.inner_text() == "not finite"
    assert tab.locator("#filter").is_hidden(), "there are few names"
    tab.evaluate("filter.hidden = false")
    tab.locator("#filter").fill("WEI")
    assert tab.locator("section:visible h2 span").all_inner_texts() == ["weights"]
    tab.locator("#filter").fill("")
    assert tab.locator("section:visible").count() == 3
    tab.close()
    assert problems == []


def test_a_step_without_numbers_says_so(browser, tmp_path):
    """Its picture was an empty frame, and its histogram had ends and a largest count."""
    with gpuplot.Recorder(tmp_path / "run", wait=True) as record:
        for step, factor in enumerate((1, np.nan)):
            record.image("weights", weights(step) * factor, step)
            record.stats("weights", weights(step) * factor, step)
    tab = browser.new_page()
    tab.set_default_timeout(PATIENCE)
    tab.goto((tmp_path / "run/index.html").as_uri())
    assert tab.locator("img + p span").all_inner_texts() == ["", "the picture is blank: all NaN"]
    assert tab.locator("p span", has_text="bin").all_inner_texts() == ["no element is in a bin"]
    tab.locator("#step").fill("0")
    assert tab.locator("img + p span").last.inner_text().startswith("colors from ")
    assert tab.locator("p span", has_text="bin").inner_text().startswith("elements, at most ")
    tab.close()


def test_a_long_run_is_shown(browser, tmp_path):
    records = [{"step": step, "name": "loss", "kind": "scalar", "value": step % 7} for step in range(200_000)]
    (tmp_path / "index.html").write_text(page([json.dumps(record) for record in records]))
    tab = browser.new_page()
    tab.set_default_timeout(PATIENCE)
    tab.goto((tmp_path / "index.html").as_uri())
    assert tab.locator("#said").inner_text() == "step 199999"
    assert tab.locator("p span").all_inner_texts() == ["0 to 6", "", "steps 0 to 199999"]
    tab.close()


def test_texts_below_a_line_stand_apart_in_one_row(browser, tmp_path):
    with gpuplot.Recorder(tmp_path / "run", wait=True) as record:
        for step in (0, 100_000):
            record.stats("weights", -weights(step) / 10, step)
    tab = browser.new_page(viewport={"width": 1100, "height": 800})
    tab.set_default_timeout(PATIENCE)
    tab.goto((tmp_path / "run/index.html").as_uri())
    boxes = [one.bounding_box() for one in tab.locator("p", has_text="min, mean, max").locator("span").all()]
    assert len(boxes) == 3 and all(box["height"] < 20 for box in boxes)
    assert all(right["x"] - left["x"] - left["width"] >= 8 for left, right in pairwise(boxes))
    tab.close()


def test_a_narrow_page_has_everything_within_its_width(browser, tmp_path):
    with gpuplot.Recorder(tmp_path / "run", wait=True) as record:
        record.stats("weights", weights(0), 0)
        record.image("weights", weights(0), 0)
    tab = browser.new_page(viewport={"width": 320, "height": 600})
    tab.set_default_timeout(PATIENCE)
    tab.goto((tmp_path / "run/index.html").as_uri())
    tab.evaluate("filter.hidden = false")
    assert tab.evaluate("document.documentElement.scrollWidth") == 320
    tab.close()
