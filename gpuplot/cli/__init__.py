"""The command `gpuplot`: files of tensors to pictures, and to tables of statistics."""
