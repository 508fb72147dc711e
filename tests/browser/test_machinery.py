"""The watch over pages itself: errors and requests to other machines are seen, so that a silent page is a good page."""

import pytest


@pytest.mark.parametrize("script, problem", [
    ("console.error('a bad thing')", "console: a bad thing"),
    ("setTimeout(() => { throw new Error('thrown late'); })", "page error: thrown late"),
    ("Promise.reject(new Error('nobody caught it'))", "page error: nobody caught it"),
    ("fetch('http://example.com/a').catch(() => 0)", "request to another machine: http://example.com/a"),
    ("document.body.append(Object.assign(new Image(), {src: 'https://example.com/b.png'}))", "https://example.com/b.png"),
    ("new WebSocket('ws://example.com/c').onerror = () => 0", "request to another machine: ws://example.com/c"),
])
def test_what_goes_wrong_on_a_page_is_seen(page, script, problem):
    page.evaluate(f"() => {{ {script}; }}")
    page.watch.wait(page, problem)
    page.watch.forget()


def test_a_quiet_page_is_no_problem(page):
    page.evaluate("fetch('fake_kernel.js').then((answer) => answer.text())")
    assert page.watch.problems == []
