"""Any object -> Source: the only package that names other libraries' arrays."""
