"""The kinds of attack, by name. A new one needs one line."""

from __future__ import annotations

from attack.agents import Agents
from attack.command_lines import CommandLines
from attack.damaged_files import DamagedFiles
from attack.disk import Disk
from attack.endpoints import Endpoints
from attack.floods import Floods
from attack.kernel_cache import KernelCache
from attack.kills import Kills
from attack.part import Part
from attack.peers import Peers
from attack.writers import Writers

PARTS: dict[str, Part] = {
    "cli": CommandLines(),
    "files": DamagedFiles(),
    "kills": Kills(),
    "writers": Writers(),
    "disk": Disk(),
    "agents": Agents(),
    "page": Endpoints(),
    "kernels": KernelCache(),
    "peers": Peers(),
    "floods": Floods(),
}
