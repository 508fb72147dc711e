"""Pictures and statistics of tensors by step of a training loop: files, and a page with a slider of steps."""
