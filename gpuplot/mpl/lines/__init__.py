"""The artists of `plot`: lines whose samples are those that show."""
