"""The front end as one text: modules in the order of their imports, and mistakes in them named with file and line."""

import re
import shutil

import pytest
from widget_modules import check_modules

from gpuplot.inspector import front_end
from gpuplot.inspector.front_end import find_folder, join_modules, read_script, read_style

pytestmark = pytest.mark.host("no array that somebody hands to gpuplot")

# What the text may have: it is in every notebook file that keeps its widgets, once for each inspector.
MAX_BYTES = 105_000


@pytest.fixture
def modules(tmp_path):
    """Writes modules of a front end, checks them, and joins them."""
    def join(**texts):
        for name, text in texts.items():
            (tmp_path / f"{name}.js").write_text(text)
        check_modules(tmp_path)
        return join_modules(tmp_path)

    return join


def test_modules_come_after_those_that_they_import_each_once(modules):
    text = modules(
        inspector='import { b } from "./b.js";\nimport { c } from "./c.js";\nexport default { b, c };\n',
        b='import { c, d } from "./c.js";\nexport function b() { return c + d + "in b"; }\n',
        c='export const c = "in c";\nexport async function d() { return "in d"; }\nclass Own { is() { return "in Own"; } }\n')
    parts = ['"in c"', '"in d"', '"in Own"', '"in b"', "export default"]
    assert [text.count(part) for part in parts] == [1] * 5
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert text.count("export") == 1 and "import" not in text


@pytest.mark.parametrize(("texts", "said"), [
    ({"inspector": 'import { a } from "./a.js";\nexport default 1;\n', "a": "const a = 1;\n"}, r"inspector.js:1: a.js does not export a"),
    ({"inspector": 'import * as a from "./a.js";\n', "a": ""}, r"inspector.js:1: an import or export in another form"),
    ({"inspector": 'import { a } from "https://x.org/a.js";\n'}, r"inspector.js:1: an import"),
    ({"inspector": "const a = 1;\nexport { a };\n"}, r"inspector.js:2: an import or export"),
    ({"inspector": 'import { a } from "./a.js";\nconst own = 1;\n', "a": "export const a = 1;\nlet own = 2;\n"},
     r"own is at the top level of both a.js and inspector.js"),
    ({"inspector": 'import { a } from "./a.js";\n', "a": "export default 1;\nexport const a = 2;\n"}, r"a.js:1: only the first module"),
    ({"inspector": 'import { a } from "./a.js";\n', "a": 'import { b } from "./b.js";\nexport const a = 1;\n',
      "b": 'import { a } from "./a.js";\nexport const b = 1;\n'}, r"import each other: inspector.js -> a.js -> b.js -> a.js"),
])
def test_mistakes_are_named(modules, texts, said):
    with pytest.raises(ValueError, match=said):
        modules(**texts)


def test_a_module_that_is_not_there(modules):
    with pytest.raises(FileNotFoundError, match="gone.js"):
        modules(inspector='import { a } from "./gone.js";\n')


def test_the_text_of_a_module_stays_as_it_is_but_for_comments(modules):
    text = "export default function f() {\n  return `a\n  +  b // c`; // d\n}\nconst url = 'https://x.org/*', e = 1; /* f */\n"
    assert modules(inspector=text) == text
    noted = "// A sentence.\n/** Of a function,\n * f. **/\n" + text.replace("  return", "  // Why.\n  /* a * b / c */\n  return")
    assert modules(inspector=noted) == text


def test_the_tree_has_a_front_end_in_order():
    check_modules(find_folder())
    script, style = read_script(), read_style()
    assert script.count("export default") == 1 and not re.search(r"^(import|export(?! default))\b", script, re.M)
    assert {path.name for path in find_folder().glob("*.js")} == reached_from("inspector.js")
    assert ".gpuplot" in style
    # Comments are for readers of the source.
    assert "/*" not in style and style.count("{") == style.count("}") == (find_folder() / "inspector.css").read_text().count("{")


def reached_from(name):
    """All modules that a module needs, itself included."""
    found, waiting = set(), [name]
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            waiting += re.findall(r'from "\./([\w-]+\.js)"', (find_folder() / module).read_text())
    return found


def test_the_text_is_small():
    assert len((read_script() + read_style()).encode()) < MAX_BYTES


def test_nothing_of_it_comes_from_elsewhere_or_puts_text_in_as_html():
    text = read_script() + read_style()
    assert not re.search(r"https?://(?!www\.w3\.org/)", text)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text)


def test_it_is_found_in_the_package_first_and_its_absence_is_said(monkeypatch, tmp_path):
    package, folder = tmp_path / "gpuplot", find_folder()
    (package / "inspector").mkdir(parents=True)
    monkeypatch.setattr(front_end, "__file__", str(package / "inspector" / "front_end.py"))
    find_folder.cache_clear()
    try:
        with pytest.raises(FileNotFoundError, match="installation is incomplete"):
            find_folder()
        shutil.copytree(folder, tmp_path / "widgets")
        assert find_folder() == tmp_path / "widgets"
        find_folder.cache_clear()
        shutil.copytree(folder, package / "widgets")
        assert find_folder() == package / "widgets"
    finally:
        find_folder.cache_clear()
