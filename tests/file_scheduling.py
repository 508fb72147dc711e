"""The scheduler of pytest-xdist that gives each worker whole files, in the order of the collection."""

from distribution import group_of
from xdist.scheduler.loadscope import LoadScopeScheduling

__all__ = ["FileScheduling"]


class FileScheduling(LoadScopeScheduling):
    """Gives each worker whole groups of files; they are sorted already."""

    def __init__(self, config, log=None):
        config.option.loadscopereorder = False
        super().__init__(config, log)

    def _split_scope(self, nodeid):
        return group_of(nodeid)
