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

    def remove_node(self, node):
        """The test that ended its worker, if one did. It is not begun again, and what the worker had finished is not given away.

        pytest-xdist 3.8 runs that test once more in each new worker until there have been too many.
        """
        units = self.assigned_work[node]
        fatal = next(((unit, nodeid) for unit in units.values() for nodeid, is_done in unit.items() if not is_done), None)
        if fatal is None:
            return super().remove_node(node)
        unit, nodeid = fatal
        unit[nodeid] = True
        self.assigned_work[node] = {scope: unit for scope, unit in units.items() if not all(unit.values())}
        super().remove_node(node)
        return nodeid
