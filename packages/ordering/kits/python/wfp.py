"""WFP3: the job with the greatest (wait / estimate)^3 * nodes first, as the built-in order `wfp`."""

import cloister_order


class Wfp:
    name = "wfp-in-python"
    version = "1.0.0"

    def __init__(self, nodes, config):
        self.claims = {"fixed": False}

    def scores(self, view):
        return [score(job, view.now) for job in view.waiting]


def score(job, now):
    slowdown = (now - job.submitted) / max(job.estimate, 1000)
    return -(slowdown * slowdown * slowdown * job.size)


if __name__ == "__main__":
    cloister_order.serve(Wfp)
