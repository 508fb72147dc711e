"""The front end in a real browser with a fake kernel: what the page sends, what it paints, what it does with bad input."""
