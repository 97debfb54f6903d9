"""Reads event logs of Cloister into rows for data frames, in Python 3.9 and newer, without dependencies.

`jobs(path)` returns a list with a dict for each job, in the order of the submissions; `records(path)` yields all records.
The dicts have the names and values of the columns of the table `jobs` of `cloister export`, without the columns that
need the shape of the machine. A log that ends in `.zst` needs Python 3.14, or the program `zstd`. As a program,
`python3 cloister_log.py LOG` writes the jobs as CSV.
"""

import csv
import json
import subprocess
import sys

LABELS = "name user account queue qos advance_reservation gpus bandwidth priority estimate array_task het_job het_offset".split()
KNOWN = {"absent", "blocks", "link_classes", "migrate", "order", "part", "progress", "rails"}


def _lines(path):
    if not str(path).endswith(".zst"):
        with open(path, encoding="ascii") as file:
            yield from file
        return
    try:
        from compression import zstd
    except ImportError:
        with subprocess.Popen(["zstd", "-dcq", str(path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="ascii") as process:
            yield from process.stdout
    else:
        with zstd.open(path, "rt", encoding="ascii") as file:
            yield from file


def records(path):
    """Yields the records of a log as dicts. Raises ValueError for a file that is no log, or with a gap in `seq`."""
    for number, line in enumerate(_lines(path)):
        if not line.endswith("\n"):
            return  # The writer was cut off in this line.
        record = json.loads(line)
        if number == 0:
            if record.get("format") != "cloister-log" or record.get("version") != 3:
                raise ValueError(f"{path}: expected an event log of version 3")
            unknown = set(record.get("requires", [])) - KNOWN
            if unknown:
                raise ValueError(f"{path}: the log requires {', '.join(sorted(unknown))}, unknown to this reader")
        if record["seq"] != number:
            raise ValueError(f"{path}:{number + 1}: found seq {record['seq']}, expected {number}")
        yield record


def _submitted(record):
    row = {"job": record["job"], "state": "waiting", "kill_code": None, "size": record["size"], "submit_time": record["t"]}
    row.update(dict.fromkeys(["start_time", "end_time", "wait", "run_time", "backfilled", "started_by", "nodes", "links"]))
    row.update({label: record.get(label) for label in LABELS}, array_id=record.get("array"), moves=0)
    return row, {"queued": record["t"], "waited": 0.0, "left": None}


def _ended(row, memory, record, state):
    row.update(state=state, end_time=record["t"], run_time=round(record["t"] - row["start_time"], 3))
    memory["left"] = record["t"]


def jobs(path):
    """Returns a dict for each job of a log. A requeued job has the times of its last run. Times are in seconds."""
    rows, memories, begin = {}, {}, 0
    for record in records(path):
        kind, t = record["type"], record.get("t")
        begin = record.get("part", {}).get("from", 0) if kind == "header" else begin
        if kind == "submit":
            rows[record["job"]], memories[record["job"]] = _submitted(record)
        row, memory = rows.get(record.get("job")), memories.get(record.get("job"))
        if kind == "allocate":
            row.update(nodes=record["nodes"], links=";".join(record["links"]) if "links" in record else None)
            row.update(started_by=record.get("started_by"), gpus=record.get("gpus", row["gpus"]))
            if "moved" in record:
                row["moves"] += 1
                continue
            memory["waited"] += t - memory["queued"]
            row.update(state="running", start_time=t, end_time=None, run_time=None, kill_code=None)
            row.update(wait=round(memory["waited"], 3), backfilled="backfill" in record or row["started_by"] == "backfill")
        elif kind == "finish":
            _ended(row, memory, record, record.get("status", "finished"))
        elif kind == "kill":
            _ended(row, memory, record, "killed")
            row["kill_code"] = record["code"]
        elif kind == "withdraw" and row["state"] == "running":
            _ended(row, memory, record, "killed")
        elif kind == "withdraw" and row["state"] == "killed":
            row.update(state="running", end_time=None, run_time=None, kill_code=None)
        elif kind == "requeue":
            row["state"], memory["queued"], memory["left"] = "waiting", t, None
        elif kind == "reject" or (kind == "cancel" and row["state"] == "waiting"):
            row["state"], memory["left"] = {"reject": "rejected", "cancel": "cancelled"}[kind], t
    return [row for job, row in rows.items() if row["state"] in ("waiting", "running") or memories[job]["left"] >= begin]


if __name__ == "__main__":
    table = jobs(sys.argv[1])
    writer = csv.DictWriter(sys.stdout, list(table[0]) if table else ["job"])
    writer.writeheader()
    writer.writerows(table)
