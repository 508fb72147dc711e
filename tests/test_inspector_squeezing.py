"""The front end as one text: only what people read is left out, and texts, patterns and signs keep their meaning."""

import pytest

from gpuplot.inspector.squeezing import squeeze_script, squeeze_style


@pytest.mark.parametrize("line, short", [
    ("a = b + 1;", "a=b+1;"),
    ("return { a, b };", "return{a,b};"),
    ("x = a + +b - -c;", "x=a+ +b- -c;"),
    ("for (const one of [...all]) go(one);", "for(let a of[...all])go(a);"),
    ('say("a + b  // c", \'d  e\');', 'say("a + b  // c",\'d  e\');'),
    ("say(`a ${ b }  c`);", "say(`a ${ b }  c`);"),
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
    ("function count(all, { one }, two = f(one, 1)) { g(two); }", "function c(b,{one},a=f(one,1)){g(a)}"),
    ("f(one => one.all, (two, three) => two);", "f(a=>a.all,(b,c)=>b);"),
    ("const width = 1; canvas.width = width;", "let width=1;canvas.width=width;"),
    ("const width = 1; f({ width });", "let width=1;f({width});"),
    ("const width = 1; f({ a, width: 2 });", "let width=1;f({a,width:2});"),
    ("const width = 1; f({ a: width });", "let b=1;f({a:b});"),
    ("const one = f(a, { all, b }), other = [all, one];", "let c=f(a,{all,b}),d=[all,c];"),
    ("for (const one of all) f(one, { all });", "for(let a of all)f(a,{all});"),
    ("const { key: name } = f, all = 1; g({ ...all });", "let{key:name}=f,a=1;g({...a});"),
    ("const width = 1; f(`${width} px`);", "let width=1;f(`${width} px`);"),
    ('const width = 1; f("width", width);', 'let a=1;f("width",a);'),
    ("const width = 1; const a = width;", "let b=1,a=b;"),
])
def test_only_names_of_variables_are_shortened(text, short):
    assert squeeze_script(text) == short + "\n"


@pytest.mark.parametrize("text, short", [
    ("const one = 1;\nlet two = () => { const all = 3; const b = all; };\nconst c = two;", "let e=1,d=()=>{let a=3,b=a},c=d;"),
    ("for (let one = 1; one < 3;) f(); const two = 2;", "for(let a=1;a<3;)f();let b=2;"),
    ("const one = 1; f(one); const two = 2;", "let a=1;f(a);let b=2;"),
    ("if (a) { const one = 1; } const two = 2;", "if(a){let b=1}let c=2;"),
])
def test_declarations_that_follow_each_other_are_one(text, short):
    assert squeeze_script(text) == short + "\n"


def test_a_comment_in_the_middle_of_a_line_is_refused():
    with pytest.raises(ValueError, match="a comment within a line of code"):
        squeeze_script("a = /* b */ c;")


def test_a_style_sheet_keeps_what_blanks_mean():
    text = 'a :hover,\nb { color: red;\nwidth: calc(1px + 2px);\ncontent: "; a :";\n}\n'
    assert squeeze_style(text) == 'a :hover,b{color:red;width:calc(1px + 2px);content:"; a :"}\n'
