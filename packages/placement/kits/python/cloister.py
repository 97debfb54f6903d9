"""Kit for placement policies of Cloister in Python 3.9 and newer, without dependencies.

A policy is a class with `name`, `version`, `config` (the defaults of its configuration, a dict),
`__init__(self, topology, config)`, which sets `self.claims`, and `place(self, state, request)`, which returns
`placement(…)` or a refusal. `serve(Policy)` answers the questions of Cloister on standard input. PROTOCOL.md of
`@cloister/placement` has the messages. Sets of nodes and links are masks: integers whose bit i is node or link i.
Write messages for people to standard error: standard output belongs to the protocol.
"""

import functools
import json
import sys


def ids(mask):
    """Returns the ids of a mask, ascending."""
    return [each for first, last in ranges(mask) for each in range(first, last + 1)]


def ranges(mask):
    """Yields the first and the last id of each run of ids of a mask, ascending."""
    at = 0
    while mask:
        skip = (mask & -mask).bit_length() - 1
        mask, at = mask >> skip, at + skip
        length = (~mask & (mask + 1)).bit_length() - 1
        yield at, at + length - 1
        mask, at = mask >> length, at + length


def mask_of(numbers):
    """Returns the mask of some ids."""
    return sum(1 << each for each in set(numbers))


def count(mask):
    """Returns the number of ids of a mask."""
    return bin(mask).count("1")


def lowest(mask, number):
    """Returns the mask of the `number` lowest ids of a mask, which has at least so many."""
    for first, last in ranges(mask):
        if last - first + 1 >= number:
            return mask & ((1 << (first + number)) - 1)
        number -= last - first + 1
    return mask


def to_idset(mask):
    """Returns a mask as an idset, such as `0-17,36`."""
    return ",".join([str(a) if a == b else f"{a}-{b}" for a, b in ranges(mask)])


def from_idset(text):
    """Returns the mask of an idset."""
    mask = 0
    for part in text.split(",") if text else ():
        first, _, last = part.partition("-")
        low = int(first)
        mask |= ((1 << (int(last or first) - low + 1)) - 1) << low
    return mask


def placement(nodes, links=(), ranks=None, bandwidth=None, note=None):
    """Returns a placement on a mask of nodes, with a mask of links for each level."""
    more = {"ranks": ranks, "bandwidth": bandwidth, "note": note}
    answer = {"ok": True, "nodes": to_idset(nodes), "links": [to_idset(each) for each in links]}
    return {**answer, **{name: value for name, value in more.items() if value is not None}}


def too_few_nodes(free):
    return {"ok": False, "code": "too-few-nodes", "free": free}


def no_placement(constraint, nearest=None):
    """Refuses a request in this state. `constraint` says for people what failed; `nearest` describes a near miss."""
    more = {} if nearest is None else {"nearest": nearest}
    return {"ok": False, "code": "no-placement", "constraint": constraint, **more}


def never(constraint):
    """Refuses a job that can never run on this machine."""
    return {"ok": False, "code": "never", "constraint": constraint}


class Record:
    """An object with the fields of a message; a missing field is None."""

    def __init__(self, fields):
        self.__dict__.update(fields)

    def __getattr__(self, _name):
        return None


class Topology(Record):
    """Machine: `nodes`, `name`, and lists as in PROTOCOL.md, in the same spelling. Adds masks and counts."""

    def __init__(self, fields):
        super().__init__(fields)
        first = fields["firstNodeOfLeaf"]
        self.leaves, self.pods = len(first) - 1, len(fields["firstLeafOfPod"]) - 1
        pods = [first[leaf] for leaf in fields["firstLeafOfPod"]]
        self.levels = [Record(level) for level in fields["levels"]]
        #: Masks of the nodes of each leaf and of each pod, and of the uplinks of each switch of each level.
        self.leaf_masks, self.pod_masks = masks_between(first), masks_between(pods)
        self.port_masks = [masks_between(level.firstPort) for level in self.levels]
        #: Masks of all nodes, then of all links of each level.
        self.all = [(1 << self.nodes) - 1] + [(1 << level.firstPort[-1]) - 1 for level in self.levels]


def masks_between(firsts):
    return [((1 << b) - 1) ^ ((1 << a) - 1) for a, b in zip(firsts, firsts[1:])]


def job_of(fields):
    job = Record(fields)
    job.parts = [from_idset(fields.get("nodes", ""))] + [from_idset(each) for each in fields.get("links", ())]
    job.nodes, job.links = job.parts[0], job.parts[1:]
    return job


class State:
    """Nodes and links of the machine, and the running jobs. `held`, `blocked`: masks of nodes, then of each level."""

    def __init__(self, topology, link_capacity=0):
        self.topology, self.link_capacity = topology, link_capacity
        self.held, self.blocked = [0] * len(topology.all), [0] * len(topology.all)
        #: Running jobs by id: `nodes`, `links` (masks), `end` in ms, `order` of the start, `bandwidth`, `communicates`.
        self.jobs, self.released, self.use = {}, {}, {}

    def copy(self):
        other = State.__new__(State)
        other.topology, other.link_capacity = self.topology, self.link_capacity
        other.held, other.blocked = self.held[:], self.blocked[:]
        other.jobs, other.released, other.use = dict(self.jobs), dict(self.released), dict(self.use)
        return other

    def fold(self, changes):
        """Applies the changes of a message."""
        for job in changes.get("ended", ()):
            self._take(self.jobs.pop(job), False)
        for job in changes.get("released", ()):
            known = self.jobs.pop(job, None) if isinstance(job, str) else job_of(job)
            self.released[known.job] = known
            if isinstance(job, str):
                self._take(known, False)
        for job in map(job_of, changes.get("started", ())):
            self.jobs[job.job] = job
            self._take(job, True)
        for job, end in changes.get("ends", {}).items():
            self.jobs[job] = Record(dict(self.jobs[job].__dict__, end=end))
        for sets, blocks in ((changes.get("unblocked"), False), (changes.get("blocked"), True)):
            if sets is not None:
                for at, text in enumerate([sets.get("nodes", "")] + sets.get("links", [])):
                    mask = from_idset(text)
                    self.blocked[at] = self.blocked[at] | mask if blocks else self.blocked[at] & ~mask
        for level, link, bandwidth in changes.get("use", ()):
            self._add_use(level, link, bandwidth)

    def _take(self, job, holds):
        for at, mask in enumerate(job.parts):
            if at > 0 and job.bandwidth is not None:
                for link in ids(mask):
                    self._add_use(at - 1, link, job.bandwidth if holds else -job.bandwidth)
            else:
                self.held[at] = self.held[at] | mask if holds else self.held[at] & ~mask

    def _add_use(self, level, link, bandwidth):
        self.use[level, link] = used = self.use.get((level, link), 0) + bandwidth
        self.held[level + 1] = self.held[level + 1] | 1 << link if used else self.held[level + 1] & ~(1 << link)

    @property
    def free(self):
        """Mask of the free nodes: neither held by a job nor blocked."""
        return self.topology.all[0] & ~(self.held[0] | self.blocked[0])

    def free_links(self, level):
        """Mask of the free links of a level; with shared links, of the links that nobody uses."""
        return self.topology.all[level + 1] & ~(self.held[level + 1] | self.blocked[level + 1])

    @property
    def free_nodes(self):
        return count(self.free)

    @property
    def running(self):
        """Running jobs by estimated end; ties are in the order of the starts."""
        return sorted(self.jobs.values(), key=lambda job: (job.end, job.order))

    def capacity_left(self, level, link):
        """Bandwidth left on a link, in MB/s; 0 if the link is blocked."""
        return 0 if self.blocked[level + 1] >> link & 1 else self.link_capacity - self.use.get((level, link), 0)

    def communicating(self):
        """Mask of the nodes that jobs with communication hold."""
        return sum(job.nodes for job in self.jobs.values() if job.communicates)

    def last_end_on_leaf(self, leaf):
        """Latest estimated end of the jobs on a leaf, in ms, with the released jobs; 0 if there is none."""
        mask, jobs = self.topology.leaf_masks[leaf], list(self.jobs.values()) + list(self.released.values())
        return max((job.end for job in jobs if job.nodes & mask), default=0)

    def free_at_decision(self):
        """Mask of the free nodes that are already free when the scheduler decides: no released job holds them."""
        return functools.reduce(lambda free, job: free & ~job.nodes, self.released.values(), self.free)


def checked(defaults, config):
    """Returns the answer to a config: the config with every default, or what is wrong."""
    if not isinstance(config, dict):
        return {"issues": [{"message": "expected an object, found %s" % json.dumps(config)}]}
    wrong = [{"path": [name], "message": "there is no such option"} for name in config if name not in defaults]
    return {"issues": wrong} if wrong else {"config": {**defaults, **config}}


#: Members of a policy that are fields of the answer to `make`.
MADE = ("claims", "unsupported", "linkCapacity", "key", "placesByKey")


def serve(policy):
    """Answers the questions of Cloister until the end of standard input."""
    defaults, places = getattr(policy, "config", {}), {}
    decode, encode = json.JSONDecoder().raw_decode, json.JSONEncoder(separators=(",", ":")).encode
    for line in sys.stdin.buffer:
        message, _end = decode(line.decode())
        kind, placer = message["type"], message.get("placer")
        if kind == "place":
            chosen, state = places[placer]
            state.fold(message.get("changes", {}))
            if "whatIf" in message:
                state = state.copy()
                state.fold(message["whatIf"])
            answer = chosen.place(state, Record(message["request"]))
        elif kind == "make":
            places.pop(message.get("forget"), None)
            topology = Topology(message["topology"])
            made = policy(topology, message["config"])
            answer = {name: getattr(made, name) for name in MADE if hasattr(made, name)}
            places[placer] = made, State(topology, answer.get("linkCapacity", 0))
        elif kind == "config":
            answer = checked(defaults, message["config"])
        elif kind == "hello" and "asks" not in message:
            options = {name: {"default": value} for name, value in defaults.items()}
            answer = {"contract": 1, "name": policy.name, "version": policy.version, "options": options}
        else:
            answer = {"error": "this program is a placement policy; unknown question %s" % kind}
        sys.stdout.buffer.write(('{"id":%d,%s\n' % (message["id"], encode(answer)[1:])).encode())
        sys.stdout.buffer.flush()
