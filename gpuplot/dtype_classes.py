"""Which numbers a dtype holds, by our name for it."""


def is_integer(name):
    """Whether a dtype is an integer one, of either sign; bool is not."""
    return name.startswith(("int", "uint"))


def is_bool_or_integer(name):
    """Whether elements of a dtype are whole numbers, which are neither NaN nor infinite."""
    return name == "bool" or is_integer(name)


def is_complex(name):
    """Whether elements of a dtype have a real and an imaginary part."""
    return name.startswith("complex")
