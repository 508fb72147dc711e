"""A script or a style sheet without what only people read: every notebook file that keeps its widgets keeps their text."""

from __future__ import annotations

import itertools
import re
import string
from collections import Counter

__all__ = ["squeeze_script", "squeeze_style"]

# A regular expression stands where a value does: after a sign that is no end of one.
_TOKEN = re.compile(r"""(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\\n])*`)
    |(?P<pattern>(?:(?<=[(,=:!?&|>\[])[ ]|(?<=[(!\[\n])|^)/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+/[a-z]*)
    |(?P<comment>//[^\n]*)|(?P<end>[ ]*\n\s*)|(?P<blank>\s+)|(?P<word>[\w$]+)|(?P<sign>=>|.)""", re.X)


def squeeze_script(text):
    """A script that does the same with shorter lines.

    Comments and blanks are left out, a constant is declared by the shorter word, declarations that follow each other are
    one, and names that stand for variables alone are a letter or two.

    Parameters
    ----------
    text : str
        A script whose statements end with semicolons, whose texts end on their line, and whose declared names are nowhere
        those of the browser's own functions.

    Returns
    -------
    str
        Of the same meaning.

    Raises
    ------
    ValueError
        A comment stands between the words of a line.
    """
    tokens = [(match.lastgroup, match[0]) for match in _TOKEN.finditer(text) if match.lastgroup != "comment"]
    short = _short_names(text, [token for token in tokens if token[0] not in ("blank", "end")])
    out, gap = [""], ""
    for (kind, token), (_, after) in itertools.pairwise([*_joined(tokens), ("end", "\n")]):
        if token == "/" and after == "*":
            raise ValueError(f"a comment within a line of code: {text[text.index('/*') - 40:][:80]}")
        if kind in ("blank", "end"):
            gap = "\n" if kind == "end" or gap == "\n" else " "
            continue
        if token == "}" and out[-1] == ";":
            out.pop()
        out += [_needed(gap, out[-1][-1:], token.strip()[0]), short.get(token, token.strip())]
        gap = ""
    return "".join(out) + "\n"


def _joined(tokens):
    """Tokens with ``, b = 2`` for ``; const b = 2`` where a declaration ends and the next one begins."""
    out, begun, depth, ended = [], [], 0, None
    for kind, token in tokens:
        if kind == "word" and token in ("const", "let"):
            begun.append(depth)
            if ended is not None:
                out[ended] = ("sign", ",")
                continue
        if kind not in ("blank", "end"):
            ended = None
        if kind == "sign":
            depth += (token in "([{") - (token in ")]}")
            while begun and depth < begun[-1]:
                begun.pop()
            if token == ";" and begun[-1:] == [depth]:
                begun.pop()
                ended = len(out)
        out.append((kind, token))
    return out


def _needed(gap, before, after):
    """What of a gap has to stay between two signs or words."""
    if gap == "\n":
        return "" if before in "{;,([=&|?:>" or after in ")]}?:.&|" else "\n"
    are_words = all(letter.isalnum() or letter in "_$" for letter in (before or " ", after))
    return gap if are_words or (before in "+-/" and after in "+-/") else ""


def _short_names(text, tokens):
    """A shorter one for each name that stands for a variable wherever it stands."""
    counts = Counter(token for kind, token in tokens if kind == "word")
    declared, properties = _words_of(tokens)
    names = sorted((name for name in declared - properties if len(name) > 2), key=lambda name: (-counts[name], name))
    free = (name for name in _letters() if name not in counts and name not in ("do", "if", "in", "of", "as"))
    return {"const": "let", **dict(zip(names, free, strict=False))}


def _letters():
    """a, b, ..., Z, aa, ab, ..."""
    letters = string.ascii_letters
    return itertools.chain(letters, (first + second for first in letters for second in letters))


def _words_of(tokens):
    """Names that are declared, and words that may be properties: after a point, keys in braces, all in texts with places."""
    declared, properties, brackets, statements = set(), set(), [("", False, [])], []
    last = before_last = ""
    for (kind, token), (_, after) in itertools.pairwise([*tokens, ("", "")]):
        sign, is_function, heads = brackets[-1]
        if kind == "word":
            # A comma of a declaration itself, not of what stands in its brackets, comes before another declared name.
            is_next = last == "," and statements[-1:] == [len(brackets)]
            if last in ("const", "let", "function") or is_next or after == "=>":
                declared.add(token)
            elif (last == "." and before_last != ".") or (last in ("{", ",") and sign == "{"):
                properties.add(token)
            elif last in ("(", ","):
                heads.append(token)
            if token in ("const", "let"):
                statements.append(len(brackets))
        elif kind == "text" and token[0] == "`":
            properties.update(re.findall(r"[\w$]+", token))
        elif kind == "sign" and token in "([{":
            brackets.append((token, before_last == "function", []))
        elif kind == "sign" and token in ")]}":
            brackets.pop()
            # What the parameters of a function begin with are their names.
            declared.update(heads if sign == "(" and (is_function or after == "=>") else ())
        while statements and (len(brackets) < statements[-1] or (token == ";" and len(brackets) == statements[-1])):
            statements.pop()
        before_last, last = last, token
    return declared, properties


def squeeze_style(text):
    """A style sheet without the blanks round its signs; before a colon they mean something in selectors."""
    parts = re.split(r"""("[^"]*")""", text)
    parts[::2] = [re.sub(r"\s*([{};,])\s*|(:)\s+", r"\1\2", part) for part in parts[::2]]
    return "".join(parts).replace(";}", "}") + "\n"
