"""Searches for the weights of weighted.mjs by evolution, and compares the best with the built-in orders.

Every candidate runs on replicates of the trace for training. The last table is about other replicates, which the
search never saw. `cloister sweep --audit` runs and audits every schedule.
"""
import argparse
import json
import os
import random
import resource
import shlex
import statistics
import subprocess
import sys
from pathlib import Path

BUILT_IN = ["submit", "shortest", "smallest", "largest", "wfp", "unicef", "f1", "f2", "f3", "f4", "fair-share"]
FEATURES = ["wait", "estimate", "size", "area", "logWait", "logEstimate", "logSize"]
# The first parents: first come first served, shortest, smallest, and logarithms close to UNICEF and WFP3.
SEEDS = [{"wait": -1}, {"logEstimate": 1}, {"logSize": 1}, {"logWait": -1, "logEstimate": 1, "logSize": 0.3},
         {"logWait": -1, "logEstimate": 1, "logSize": -0.333}]
PARENTS, CHILDREN = 4, 8
# 97.5 % quantiles of Student's t distribution for 1, 2, … degrees of freedom.
STUDENT_T = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
             2.120, 2.110, 2.101, 2.093]
WEIGHTED = "./" + os.path.relpath(Path(__file__).with_name("weighted.mjs"))


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cloister", default="cloister", help="command that starts cloister")
    parser.add_argument("--trace", default="kth", help="preset or file")
    parser.add_argument("--trace-dir", default=os.environ.get("CLOISTER_TRACE_DIR", "."), help="folder of presets")
    parser.add_argument("--topology", default="pgft:1;100;1;1", help="machine, by default 100 nodes at one switch")
    parser.add_argument("--minutes", type=float, default=30, help="processor time of the whole search")
    parser.add_argument("--generations", type=int, default=1000, help="end the search earlier")
    parser.add_argument("--train", type=int, default=3, help="number of replicates for training")
    parser.add_argument("--held-out", type=int, default=10, help="number of replicates for the last table, 2 to 20")
    parser.add_argument("--seed", type=int, default=1, help="seed of the evolution")
    parser.add_argument("--out", type=Path, default="order-search.results", help="folder; a second run goes on")
    given = parser.parse_args()
    if not 2 <= given.held_out <= len(STUDENT_T) + 1 or given.train < 1:
        parser.error("expected --held-out from 2 to 20, and --train from 1")
    return given


def processor_seconds(given, more=0):
    """Adds to the processor time of the search, and returns the sum in seconds. A second run adds to the first."""
    path = given.out / "processor-seconds"
    total = more + (float(path.read_text()) if path.exists() else 0)
    path.write_text(f"{total:.1f}")
    return total


def key(order, config, resample):
    """Names a cell. The weights become floats, because cloister writes 1.0 as 1."""
    return json.dumps([order, {name: float(weight) for name, weight in config.items()}, resample], sort_keys=True)


def slowdowns(given, orders, replicates):
    """Runs and audits every (order, config) on every replicate. Returns a list of mean bounded slowdowns for each."""
    base = {"trace": given.trace, "arrivals": "trace", "topology": given.topology, "policy": "baseline",
            "queue": "easy:50"}
    cells = [{**base, "order": order, "orderConfig": config, "resample": resample}
             for order, config in orders for resample in replicates]
    experiment, results = given.out / "experiment.json", given.out / "results.ndjson"
    experiment.write_text(json.dumps({"cells": cells}))
    command = [*shlex.split(given.cloister), "sweep", experiment, "--audit", "--resume", "--workers", "1",
               "--trace-dir", given.trace_dir, "--out", results]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor_seconds(given, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    if done.returncode != 0:
        sys.exit(f"cloister sweep ended with status {done.returncode}:\n{done.stdout}")
    found = {}
    for result in map(json.loads, results.read_text().splitlines()):
        cell, audit = result["cell"], result["audit"]
        if audit is None or not audit["ok"] or audit["untestedClaims"]:
            sys.exit(f"the audit of {cell} found violations or untested claims: {audit}")
        name = key(cell.get("order", "submit"), cell.get("orderConfig", {}), cell["resample"])
        found[name] = result["metrics"]["slowdown"]["bounded"]
    return [[found[key(order, config, resample)] for resample in replicates] for order, config in orders]


def child(draw, parents, step):
    """Mixes the weights of two parents, moves about half of them by a normal step, and scales the greatest to 1."""
    one, other = draw.choice(parents), draw.choice(parents)
    weights = {}
    for name in FEATURES:
        inherited = draw.choice([one, other]).get(name, 0)
        weights[name] = inherited + draw.choice([0, 1]) * draw.gauss(0, step)
    greatest = max(map(abs, weights.values())) or 1
    return {name: round(weight / greatest, 3) for name, weight in weights.items() if round(weight / greatest, 3) != 0}


def search(given, replicates):
    """Returns the best weights and the number of candidates. Parents compete with their children (mu + lambda)."""
    draw = random.Random(given.seed)
    candidates = SEEDS + [child(draw, SEEDS, 0.5) for _ in range(CHILDREN - len(SEEDS))]
    known, step, generation = {}, 0.5, 0
    while True:
        new = [weights for weights in candidates if json.dumps(weights) not in known]
        for weights, values in zip(new, slowdowns(given, [(WEIGHTED, each) for each in new], replicates)):
            known[json.dumps(weights)] = statistics.mean(values)
        ranking = sorted(known, key=known.get)
        parents = [json.loads(text) for text in ranking[:PARENTS]]
        generation += 1
        print(f"generation {generation}: {known[ranking[0]]:.2f} in training, {ranking[0]}", flush=True)
        per_run = processor_seconds(given) / (given.out / "results.ndjson").read_text().count("\n")
        to_come = CHILDREN * given.train + (len(BUILT_IN) + 1) * given.held_out
        if generation >= given.generations or processor_seconds(given) + per_run * to_come > given.minutes * 60:
            return parents[0], len(known), generation
        candidates = [child(draw, parents, step) for _ in range(CHILDREN)]
        step *= 0.93


def main():
    given = options()
    given.out.mkdir(parents=True, exist_ok=True)
    training = [f"weeks:{seed}" for seed in range(1, given.train + 1)]
    held_out = [f"weeks:{seed}" for seed in range(1001, 1001 + given.held_out)]
    best, candidates, generations = search(given, training)
    orders = [(name, {}) for name in BUILT_IN] + [(WEIGHTED, best)]
    values = dict(zip(BUILT_IN + ["the best weights"], slowdowns(given, orders, held_out)))
    rival = min(BUILT_IN, key=lambda name: statistics.mean(values[name]))
    print(f"\n{'order':<18}{'mean bounded slowdown':>22}{f'  minus {rival}, 95 % interval':>36}")
    for name in sorted(values, key=lambda name: statistics.mean(values[name])):
        differences = [one - other for one, other in zip(values[name], values[rival])]
        half = STUDENT_T[given.held_out - 2] * statistics.stdev(differences) / given.held_out ** 0.5
        mean = statistics.mean(differences)
        interval = "" if name == rival else f"{mean:+.2f}  ({mean - half:+.2f} to {mean + half:+.2f})"
        print(f"{name:<18}{statistics.mean(values[name]):>22.2f}{interval:>36}")
    print(f"\nbest weights: --order {WEIGHTED} --order-config '{json.dumps(best)}'")
    print(f"{candidates} candidates in {generations} generations on {given.train} replicates; "
          f"{given.held_out} replicates held out; all runs audited; "
          f"{processor_seconds(given) / 60:.1f} minutes of processor time")


if __name__ == "__main__":
    main()
