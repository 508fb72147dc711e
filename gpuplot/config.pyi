"""Signature of `show_config`: what it returns depends on its mode."""

from typing import Any, Literal, overload

__all__ = ["show_config"]

@overload
def show_config(mode: Literal["stdout"] = "stdout") -> None: ...
@overload
def show_config(mode: Literal["dicts"]) -> dict[str, dict[str, Any]]: ...
