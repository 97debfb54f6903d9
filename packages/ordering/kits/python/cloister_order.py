"""Kit for queue orders of Cloister in Python 3.9 and newer, without dependencies.

An order is a class with `name`, `version`, `config` (the defaults of its configuration, a dict),
`__init__(self, nodes, config)`, which sets `self.claims`, and `scores(self, view)`, which returns a score for each job
of `view.waiting`: the job with the lowest score is first. `serve(Order)` answers the questions of Cloister on standard
input. PROTOCOL.md of `@cloister/ordering` has the messages. Times are integer milliseconds.
Write messages for people to standard error: standard output belongs to the protocol.
"""

import json
import math
import sys


class Record:
    """An object with the fields of a message; a missing field is None."""

    def __init__(self, fields):
        self.__dict__.update(fields)

    def __getattr__(self, _name):
        return None


def job_of(fields):
    """Returns a waiting job: `job`, `size`, `estimate` (math.inf without an estimate), `submitted`, `user`."""
    return Record({"estimate": math.inf, **fields})


class View:
    """Queue and history: `now`, `waiting` in submit order, `running` and `ended` runs, and `head` and `window`."""

    def __init__(self):
        self.waiting, self.running, self.ended = [], [], []

    def fold(self, message):
        """Applies the changes of a message."""
        for row in message.get("left", ()):
            del self.waiting[row]
        for job in message.get("joined", ()):
            self.waiting.insert(job.get("at", len(self.waiting)), job_of(job))
        self.ended.extend(map(Record, message.get("ended", ())))
        self.running = [Record(run) for run in message.get("running", ())]
        self.head = job_of(message["head"]) if "head" in message else None
        self.window = [job_of(job) for job in message.get("window", ())]
        self.now = message["now"]


def checked(defaults, config):
    """Returns the answer to a config: the config with every default, or what is wrong."""
    if not isinstance(config, dict):
        return {"issues": [{"message": "expected an object, found %s" % json.dumps(config)}]}
    wrong = [{"path": [name], "message": "there is no such option"} for name in config if name not in defaults]
    return {"issues": wrong} if wrong else {"config": {**defaults, **config}}


def serve(order):
    """Answers the questions of Cloister until the end of standard input.

    An order with `scores_behind_head(self, view)` has an order of its own behind the head: a score for each job of
    `view.window`, and None for a job that is not tried. An order with `reads_running = True` gets the running jobs.
    An order may have `first(self, view)` instead of `scores`: the rows of the first jobs, in queue order.
    """
    defaults = getattr(order, "config", {})
    orders = {}
    for line in sys.stdin.buffer:
        message = json.loads(line)
        kind = message["type"]
        if kind in ("score", "scoreBehindHead"):
            chosen, view = orders[message["order"]]
            view.fold(message)
            if kind == "scoreBehindHead":
                answer = {"scores": chosen.scores_behind_head(view)}
            elif hasattr(chosen, "first"):
                answer = {"first": chosen.first(view)}
            else:
                answer = {"scores": chosen.scores(view)}
        elif kind == "make":
            orders.pop(message.get("forget"), None)
            made = order(message["nodes"], message["config"])
            orders[message["order"]] = made, View()
            more = {"readsRunning": hasattr(made, "reads_running"), "behindHead": hasattr(made, "scores_behind_head")}
            answer = {"claims": made.claims, **{name: True for name, is_so in more.items() if is_so}}
        elif kind == "config":
            answer = checked(defaults, message["config"])
        elif kind == "hello" and message.get("asks") == "order":
            options = {name: {"default": value} for name, value in defaults.items()}
            answer = {"contract": 1, "name": order.name, "version": order.version, "options": options}
        else:
            answer = {"error": "this program is a queue order; unknown question %s" % kind}
        text = json.dumps(answer, separators=(",", ":"))
        # JSON has no infinite numbers, but a number above all finite numbers is read as infinite.
        text = text.replace("Infinity", "1e999") if kind == "score" else text
        sys.stdout.write('{"id":%d,%s\n' % (message["id"], text[1:]))
        sys.stdout.flush()
