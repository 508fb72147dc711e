"""The front end as one text: only what people read is left out, and texts, patterns and signs keep their meaning."""

import pytest

from gpuplot.inspector.front_end import squeezed_script, squeezed_style


@pytest.mark.parametrize("line, short", [
    ("const a = b + 1;", "let a=b+1;"),
    ("return { a, b };", "return{a,b};"),
    ("x = a + +b - -c;", "x=a+ +b- -c;"),
    ("for (const one of [...all]) go(one);", "for(let one of[...all])go(one);"),
    ('say("a + b  // c", \'d  e\');', 'say("a + b  // c",\'d  e\');'),
    ("say(`a ${ b }  c`);", "say(`a ${ b }  c`);"),
    (r'say("a \" + b");', r'say("a \" + b");'),
    (r'const r = /a  "b|[/ ]\/ c/g;', r'let r=/a  "b|[/ ]\/ c/g;'),
    (r"if (/ +/.test(a)) b = c / d / e;", r"if(/ +/.test(a))b=c/d/e;"),
    ("const a = 1; // why", "let a=1;"),
    ("typeof a in b;", "typeof a in b;"),
])
def test_a_line_keeps_its_meaning(line, short):
    assert squeezed_script(line, "a.js") == short + "\n"


def test_statements_of_several_lines_stay_apart():
    text = "function f() {\nif (a) {\nb();\n}\nreturn a\n? b\n: c;\n}\nlet d = 1;\n"
    assert squeezed_script(text, "a.js") == "function f(){if(a){b()}\nreturn a?b:c}\nlet d=1;\n"


def test_a_comment_in_the_middle_of_a_line_is_refused():
    with pytest.raises(ValueError, match="a.js: a comment within a line of code"):
        squeezed_script("a = /* b */ c;", "a.js")


def test_a_style_sheet_keeps_what_blanks_mean():
    text = 'a :hover,\nb { color: red;\nwidth: calc(1px + 2px);\ncontent: "; a :";\n}\n'
    assert squeezed_style(text) == 'a :hover,b{color:red;width:calc(1px + 2px);content:"; a :"}\n'
