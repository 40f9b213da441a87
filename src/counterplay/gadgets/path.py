"""The path gadget: the full gadget (Milec et al. 2024, section 5), with the path contracted to where it branches."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from counterplay.gadgets.gadget import Gadget
from counterplay.subgames.entry import Entry
from counterplay.subgames.subtree import Root


@dataclass(frozen=True)
class PathGadget(Gadget):
    """The opponent chooses as on their whole path; what leads elsewhere pays what a best response wins there.

    Its gadget game is worth, for every strategy of the resolver inside, what the full gadget's is worth, and grows with
    the roots, not with the path. Where the opponent's cards are dealt at the start it is the resolving gadget with other
    constants; where all that is hidden was chosen by the opponent it is one decision, as in max-margin.
    """

    name: ClassVar[str] = "path"
    contracts_path: ClassVar[bool] = True
    never_worse: ClassVar[bool] = True

    def entry(self, root: Root) -> Entry:
        """The path, contracted."""
        path = root.subtree.path(root.plans, root.values * root.unit)
        return replace(path, name=self.name, constant=path.constant / root.unit)
