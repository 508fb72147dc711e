"""A script or a style sheet without what only people read: every notebook file that keeps its widgets keeps their text."""

from __future__ import annotations

import itertools
import re
import string
from collections import Counter

__all__ = ["squeeze_script", "squeeze_style"]

# A regular expression stands where a value does: after a sign that is no end of one.
_TOKEN = re.compile(r"""(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    |(?P<pattern>(?:(?<=[(,=:!?&|>\[])[ ]|(?<=[(!\[\n])|^)/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+/[a-z]*)
    |(?P<comment>//[^\n]*)|(?P<end>[ ]*\n\s*)|(?P<blank>\s+)|(?P<word>[\w$]+)|(?P<sign>=>|.)""", re.X)
# A text with places for values, from its begin or the end of a place to the next place or its end.
_PART = re.compile(r"[`}](?:\\.|\$(?!\{)|[^`\\$\n])*(?:`|\$\{)")
_DECLARING = {"const", "let"}
# Braces after these hold statements.
_BEFORE_BLOCK = {"", ")", "=>", ";", "{", "}", "else", "try", "catch", "finally", "do"}


def squeeze_script(text):
    """A script that does the same with shorter lines.

    Comments and blanks are left out, a constant is declared by the shorter word, and variables, not properties,
    have names of a letter or two.

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
    tokens = list(_tokens(text))
    words = _Words([token for token in tokens if token[0] not in ("blank", "end")])
    out, gap = [""], ""
    for kind, token in words.shortened(tokens):
        if out[-1] == "/" and token[0] == "*":
            raise ValueError(f"a comment within a line of code: {text[text.index('/*') - 40:][:80]}")
        if kind in ("blank", "end"):
            gap = "\n" if kind == "end" or gap == "\n" else " "
            continue
        if token == "}" and out[-1] == ";":
            out.pop()
        out += [_needed(gap, out[-1][-1:], token[0]), token]
        gap = ""
    return "".join(out) + "\n"


def _tokens(text):
    """(kind, token) one after the other; a text with places is as many texts as its places part it into."""
    at, braces = 0, []  # how many are open in each place
    while at < len(text):
        is_part = text[at] == "`" or (text[at] == "}" and braces[-1:] == [0])
        match = (_PART if is_part else _TOKEN).match(text, at)
        if match is None:
            raise ValueError(f"a text does not end on its line: {text[at:][:80]}")
        kind, token, at = match.lastgroup or "text", match[0], match.end()
        if is_part:
            if token[0] == "}":
                braces.pop()
            if token[-1] == "{":
                braces.append(0)
        elif braces and token in ("{", "}"):
            braces[-1] += 1 if token == "{" else -1
        if kind != "comment":
            yield kind, token if kind in ("blank", "end") else token.strip()


def _needed(gap, before, after):
    """What of a gap has to stay between two signs or words."""
    if gap == "\n":
        return "" if before in "{;,([=&|?:>" or after in ")]}?:.&|" else "\n"
    are_words = all(letter.isalnum() or letter in "_$" for letter in (before or " ", after))
    return gap if are_words or (before in "+-/" and after in "+-/") else ""


class _Words:
    """What the words of a script are, of which `tokens` are all but the blanks.

    Attributes
    ----------
    roles : list of str
        For each token: "variable", "property" (after a point, or a key), "both" (a key that is also the variable), or "".
    declared : set of str
        Names of variables and functions.
    """

    def __init__(self, tokens):
        self.roles, self.declared = [], set()
        # Of each pair of brackets: its sign, what stands before it, and the words that would be names if it were a pattern.
        self._brackets, self._statements = [("", "", [])], []
        before = ["", ""]
        for (kind, token), (_, after) in itertools.pairwise([*tokens, ("", "")]):
            self.roles.append(self._role(token, before, after) if kind == "word" else "")
            if kind == "word":
                self._note(token, before, after)
            elif kind == "sign":
                self._follow(token, before, after)
            before = [before[1], token]
        self._short = self._short_names([token for _, token in tokens])

    def _role(self, word, before, after):
        if before[1] == "." and before[0] != ".":
            return "property"
        if self._brackets[-1][0] != "{" or before[1] not in ("{", ","):
            return "variable"
        return "both" if after in (",", "}", "=") else "property" if after in (":", "(") else "variable"

    def _note(self, word, before, after):
        """Declarations, and what would be one in a pattern."""
        sign, _, names = self._brackets[-1]
        # A comma of a declaration itself, not of what stands in its brackets, comes before another declared name.
        is_next = before[1] == "," and self._statements[-1:] == [len(self._brackets)]
        if before[1] in _DECLARING or before[1] == "function" or is_next or after == "=>":
            self.declared.add(word)
        elif self.roles[-1] != "property" and (
                before[1] in ("(", "[", ",") or before == [".", "."] or (sign == "{" and before[1] in ("{", ":"))):
            names.append(word)
        if word in _DECLARING:
            self._statements.append(len(self._brackets))

    def _follow(self, sign, before, after):
        """Brackets, and where declarations end."""
        if sign in ("(", "[", "{"):
            is_block = sign == "{" and before[1] in _BEFORE_BLOCK
            self._brackets.append(("block" if is_block else sign, before, []))
        elif sign in (")", "]", "}"):
            kind, (first, last), names = self._brackets.pop()
            is_head = kind == "(" and (first == "function" or last == "catch" or after == "=>")
            if is_head or last in _DECLARING:
                self.declared.update(names)
            elif kind in ("[", "{"):
                self._brackets[-1][2].extend(names)
        while self._statements and (len(self._brackets) < self._statements[-1]
                                    or (sign == ";" and len(self._brackets) == self._statements[-1])):
            self._statements.pop()

    def _short_names(self, tokens):
        """A shorter name for each variable, where that saves something."""
        alone, both = (Counter(token for token, role in zip(tokens, self.roles, strict=True) if role == wanted)
                       for wanted in ("variable", "both"))
        names = [name for name in self.declared if alone[name] * (len(name) - 2) > 3 * both[name]]
        known = set(tokens)
        free = (name for name in _letters() if name not in known and name not in ("do", "if", "in", "of", "as"))
        return dict(zip(sorted(names, key=lambda name: (-alone[name] - both[name], name)), free, strict=False))

    def shortened(self, tokens):
        """All tokens, blanks too, with short names."""
        roles = iter(self.roles)
        for kind, token in tokens:
            role = "" if kind in ("blank", "end") else next(roles)
            name = "let" if token == "const" else self._short.get(token, token)
            if role == "both" and name != token:
                yield from [("word", token), ("sign", ":"), ("word", name)]
            else:
                yield kind, name if role == "variable" else token


def _letters():
    """a, b, ..., Z, aa, ab, ..."""
    letters = string.ascii_letters
    return itertools.chain(letters, (first + second for first in letters for second in letters))


def squeeze_style(text):
    """A style sheet without the blanks round its signs; before a colon they mean something in selectors."""
    parts = re.split(r"""("[^"]*")""", text)
    parts[::2] = [re.sub(r"\s*([{};,])\s*|(:)\s+", r"\1\2", part) for part in parts[::2]]
    return "".join(parts).replace(";}", "}") + "\n"
