"""Refuses every request, and tells in `nearest` how the kit sees the state."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../placement/kits/python"))
import cloister  # noqa: E402


class Mirror:
    name = "mirror"
    version = "1.0.0"
    config = {"capped": False}

    def __init__(self, topology, config):
        self.topology = topology
        self.claims = dict(
            links="capped" if config["capped"] else "owned", fullBandwidth=False, exactSize=True, monotone=False,
            complete=False, speedupScenarios=False,
        )
        if config["capped"]:
            self.linkCapacity = 1000

    def place(self, state, request):
        topology = self.topology
        levels = range(len(topology.levels))
        seen = dict(
            free=cloister.to_idset(state.free),
            freeNodes=state.free_nodes,
            links=[cloister.to_idset(state.free_links(level)) for level in levels],
            running=[[job.job, job.end] for job in state.running],
            lastEnds=[state.last_end_on_leaf(leaf) for leaf in range(topology.leaves)],
            atDecision=cloister.to_idset(state.free_at_decision()),
            communicating=cloister.to_idset(state.communicating()),
        )
        if state.link_capacity:
            seen["capacity"] = [
                [state.capacity_left(level, link) for link in range(topology.levels[level].firstPort[-1])]
                for level in levels
            ]
        return cloister.no_placement("mirror", seen)


cloister.serve(Mirror)
