"""The front end as one text: only what people read is left out, and texts, patterns and signs keep their meaning."""

import pytest

from gpuplot.inspector.squeezing import squeeze_script, squeeze_style

pytestmark = pytest.mark.host("no array that somebody hands to gpuplot")


@pytest.mark.parametrize("line, short", [
    ("a = b + 1;", "a=b+1;"),
    ("return { a, b };", "return{a,b};"),
    ("x = a + +b - -c;", "x=a+ +b- -c;"),
    ("for (const one of [...all]) go(one);", "for(let a of[...all])go(a);"),
    ('say("a + b  // c", \'d  e\');', 'say("a + b  // c",\'d  e\');'),
    ("say(`a ${ b }  c`);", "say(`a ${b}  c`);"),
    (r"say(`a \` $ ${f({ b: `}` })}`, 1);", r"say(`a \` $ ${f({b:`}`})}`,1);"),
    (r'say("a \" + b");', r'say("a \" + b");'),
    (r'r = /a  "b|[/ ]\/ c/g;', r'r=/a  "b|[/ ]\/ c/g;'),
    (r"if (/ +/.test(a)) b = c / d / e;", r"if(/ +/.test(a))b=c/d/e;"),
    ("a = 1; // why", "a=1;"),
    ("typeof a in b;", "typeof a in b;"),
])
def test_a_line_keeps_its_meaning(line, short):
    assert squeeze_script(line) == short + "\n"


def test_statements_of_several_lines_stay_apart():
    text = "if (a) {\nb();\n}\nreturn a\n? b\n: c;\n"
    assert squeeze_script(text) == "if(a){b()}\nreturn a?b:c;\n"


@pytest.mark.parametrize("text, short", [
    ("function count(all) { return all.length; } count([]);", "function b(a){return a.length}b([]);"),
    ("function count(all, { element }, two = f(element, 1)) { g(two); }", "function d(c,{element:a},b=f(a,1)){g(b)}"),
    ("f(one => one.all, (two, three) => two);", "f(a=>a.all,(b,c)=>b);"),
    ("const width = 1; canvas.width = width;", "let a=1;canvas.width=a;"),
    ("const width = f(a); g({ width, width: 2 });", "let width=f(a);g({width,width:2});"),
    ("const width = 1; f({ a, width: width });", "let b=1;f({a,width:b});"),
    ("const size = 1; f({ size }, size * size);", "let a=1;f({size:a},a*a);"),
    ("const one = f(a, { all, b }), other = [all, one];", "let c=f(a,{all,b}),d=[all,c];"),
    ("for (const one of all) f(one, { all });", "for(let a of all)f(a,{all});"),
    ("const { key: name } = f, all = 1; g({ ...all }, name.key);", "let{key:b}=f,a=1;g({...a},b.key);"),
    ("const [one, { two = 3 }] = f; g(one, two, two, two, two);", "let[b,{two:a=3}]=f;g(b,a,a,a,a);"),
    ("f(({ one }, [two]) => one + one + one + one + two);", "f(({one:a},[b])=>a+a+a+a+b);"),
    ("const one = { go(two) { return two; }, one };", "let one={go(two){return two},one};"),
    ("if (document) { document; }", "if(document){document}"),
    ("f(a ? document : all);", "f(a?document:all);"),
    ("try { f(); } catch ({ message }) { g(message, message, message); }",
     "try{f()}catch({message:a}){g(a,a,a)}"),
    ("const width = 1; f(`width ${width} px`);", "let a=1;f(`width ${a} px`);"),
    ("const all = 1; f(`all ${[`all ${all}`, { all: 2 }]} all`);", "let a=1;f(`all ${[`all ${a}`,{all:2}]} all`);"),
    ('const width = 1; f("width", width);', 'let a=1;f("width",a);'),
])
def test_variables_get_short_names_and_nothing_else(text, short):
    assert squeeze_script(text) == short + "\n"


def test_a_text_that_does_not_end_on_its_line_is_refused():
    with pytest.raises(ValueError, match="does not end on its line: `all"):
        squeeze_script("f(`all\n`);")


def test_a_comment_in_the_middle_of_a_line_is_refused():
    with pytest.raises(ValueError, match="a comment within a line of code"):
        squeeze_script("a = /* b */ c;")


def test_a_style_sheet_keeps_what_blanks_mean():
    text = 'a :hover,\nb { color: red;\nwidth: calc(1px + 2px);\ncontent: "; a :";\n}\n'
    assert squeeze_style(text) == 'a :hover,b{color:red;width:calc(1px + 2px);content:"; a :"}\n'
