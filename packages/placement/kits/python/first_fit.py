"""First fit: a job gets the free nodes with the lowest ids and shares every link."""

import cloister


class FirstFit:
    name = "first-fit"
    version = "1.0.0"

    def __init__(self, topology, config):
        self.topology = topology
        self.claims = dict(
            links="shared", fullBandwidth=False, exactSize=True, monotone=True, complete=True,
            anyFreeNodes=True, speedupScenarios=False,
        )

    def place(self, state, request):
        if request.nodes > self.topology.nodes:
            return cloister.never("machine size")
        if request.nodes > state.free_nodes:
            return cloister.too_few_nodes(state.free_nodes)
        return cloister.placement(cloister.lowest(state.free, request.nodes))


if __name__ == "__main__":
    cloister.serve(FirstFit)
