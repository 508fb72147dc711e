"""The model of an inspector: tensors and the user's settings, and the frames, texts and numbers computed from them."""
