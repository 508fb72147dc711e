"""A pytest plugin: gpuplot._native made of the names in _native.pyi, so that signatures can be read before anything is built.

usage: PYTHONPATH=.:tests/lint python -m pytest -p native_names ...
Nothing in it works: classes are empty, functions raise. It is for tests that look at Python's own modules.
"""

import ast
import importlib.util
import sys
import types
from pathlib import Path


def refuse(*args, **keywords):
    """What every function of the module does."""
    raise NotImplementedError("these are the names of gpuplot._native alone, for tests that look at signatures")


def value_of(node):
    """Something for one name of the stub: a class, a function, a number, or a dict."""
    if isinstance(node, ast.ClassDef):
        members = {member.name: refuse for member in node.body if isinstance(member, ast.FunctionDef)}
        return type(node.name, (), {**members, "__init__": refuse})
    if isinstance(node, ast.FunctionDef):
        return refuse
    return 1 if getattr(node.annotation, "id", "") == "int" else {}


def module_from(stub):
    """The module of a stub's names."""
    module = types.ModuleType("gpuplot._native")
    for node in ast.parse(stub.read_text()).body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            setattr(module, node.name, value_of(node))
        elif isinstance(node, ast.AnnAssign):
            setattr(module, node.target.id, value_of(node))
    return module


_package = Path(importlib.util.find_spec("gpuplot").origin).parent
sys.modules["gpuplot._native"] = module_from(_package / "_native.pyi")
