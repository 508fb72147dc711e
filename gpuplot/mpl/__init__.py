"""matplotlib artists that reduce their tensors to the pixels on screen at every zoom."""
