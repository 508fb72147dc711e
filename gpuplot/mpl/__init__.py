"""The matplotlib artist: a plane drawn for the pixels on screen, anew at every zoom."""
