"""What an inspector shows: tensors, the choices of its user, and the frames, texts and numbers that follow."""
