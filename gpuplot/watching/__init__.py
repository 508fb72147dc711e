"""Weights, gradients and activations of a torch module in one inspector, live: `watch`."""
