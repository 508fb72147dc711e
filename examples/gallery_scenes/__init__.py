"""The tensors of the gallery, in the order of the page."""

from . import measurements, networks, odd
from .scene import SCENES, Scene, tensor_of

__all__ = ["SCENES", "Scene", "tensor_of"]

PARTS = [part.__name__ for part in (networks, measurements, odd)]
SCENES.sort(key=lambda scene: PARTS.index(scene.make.__module__))
