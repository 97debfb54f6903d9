"""An agent that learns an order of the queue, with the standard library of Python 3.9 and newer.

python3 agent.py cloister serve --env --trace synth:8:100 --topology radix:8 --policy baseline --queue fcfs

The agent gives each waiting job a score: the sum of weights times features. It chooses the job with the highest score
among the jobs that have enough free nodes. With `--placements jigsaw,ta` instead of `--policy baseline`, it chooses a job
and one of the placements of the job, which have features, too. An evolution strategy learns the weights: a random change of the weights
stays if the mean wait of the training traces does not grow. The last lines compare the learned weights with zero
weights, which choose the first job of the queue that has enough free nodes, on traces that the agent has never seen.
"""

import json
import math
import random
import subprocess
import sys

TRAINING, TEST = range(1, 4), range(101, 106)
ROUNDS = 6


class Environment:
    """Episodes of `cloister serve --env`. ENVIRONMENT.md of `@cloister/ordering` has the messages."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.messages = 0

    def reset(self, **options):
        """Begins an episode, and returns the first observation. The options replace options of the command line."""
        return self.ask({"type": "reset", "options": options})

    def step(self, action):
        """Takes an action, and returns the next observation: its `reward`, and `done` at the end of the episode."""
        return self.ask({"type": "step", "action": action})

    def ask(self, message):
        self.messages += 1
        self.process.stdin.write(json.dumps({**message, "id": self.messages}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if line == "":
            sys.exit("the environment has ended")
        answer = json.loads(line)
        if "error" in answer:
            sys.exit(answer["error"])
        return answer

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def features(size, estimate, wait):
    """Returns the features of a job: logarithms of its nodes, of its estimate in s, and of its wait in s."""
    return math.log(size), math.log(1 + (estimate or 0) / 1000), math.log(1 + wait / 1000)


def starts(observation):
    """Yields the features and the action of each start that is possible now."""
    queue = observation["queue"]
    rows = list(zip(queue["job"], queue["size"], queue["estimate"], queue["wait"]))
    if "candidates" not in observation:
        free = sum(observation["machine"]["free"])
        for job, *row in rows:
            if row[0] <= free:
                yield features(*row), {"job": job}
        return
    for place, (job, *row) in enumerate(rows[:16]):
        for placement, policy in enumerate(observation["candidates"]):
            if policy["nodes"][place] is not None:
                more = math.log(policy["leaves"][place]), math.log(1 + policy["links"][place])
                yield features(*row) + more, {"job": job, "placement": placement}


def choose(weights, observation):
    """Returns the action: the start with the highest score, the first of equals, or a wait if no start is possible."""
    score = lambda start: sum(weight * feature for weight, feature in zip(weights, start[0]))
    return max(starts(observation), key=score, default=(None, {"wait": True}))[1]


def mean_wait(environment, weights, seeds):
    """Plays an episode for each seed, and returns the mean wait of all jobs in s, from the rewards of the steps."""
    waited, jobs = 0, 0
    for seed in seeds:
        observation = environment.reset(trace="synth:8:100:%d" % seed)
        while not observation["done"]:
            observation = environment.step(choose(weights, observation))
            waited -= observation["reward"]["wait"]
        jobs += observation["totals"]["jobs"]
    return waited / jobs / 1000


def main():
    environment = Environment(sys.argv[1:])
    draws = random.Random(1)
    names = ["nodes", "estimate", "wait"] + ["leaves", "links"] * ("--placements" in sys.argv)
    first = [0.0] * len(names)
    weights, best = first, mean_wait(environment, first, TRAINING)
    for round_ in range(1, ROUNDS + 1):
        changed = [weight + draws.gauss(0, 0.5) for weight in weights]
        wait = mean_wait(environment, changed, TRAINING)
        if wait <= best:
            weights, best = changed, wait
            print("round %d: mean wait %.0f s in training" % (round_, best))
    print("weights: " + ", ".join("%s %.2f" % each for each in zip(names, weights)))
    before, after = (mean_wait(environment, each, TEST) for each in (first, weights))
    print("mean wait on new traces: %.0f s before, %.0f s after learning" % (before, after))
    environment.close()


if __name__ == "__main__":
    main()
