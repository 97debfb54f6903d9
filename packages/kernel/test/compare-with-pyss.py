"""
Compares the starts of a run with those of pyss, the simulator of D. Feitelson's group, job by job.

    PYTHONPATH=PYSS/src python2 -O compare-with-pyss.py easy|conservative NODES JOBS.csv [--one-pass|--after-early-ends]

PYSS is an unmodified copy of pyss. JOBS.csv is the output of `cloister export LOG --to csv` for a run of policy baseline on
`pgft:1;NODES;1;1` with `--overrun kill`, jobs of nonzero length and a window that no queue outgrows. pyss makes a scheduling pass after
each event. With --one-pass, pyss makes one pass an instant, after all ends and arrivals of the instant. Under conservative backfilling,
pyss tries reservations again after every end. With --after-early-ends, which implies --one-pass, pyss does so only after an end before the
estimate. Prints the jobs whose starts differ: id, submit, start in the run, start in pyss.
import csv
import sys

from base.prototype import Job, JobStartEvent, JobSubmissionEvent, JobTerminationEvent
from schedulers.conservative_scheduler import ConservativeScheduler
from schedulers.easy_scheduler import EasyBackfillScheduler
from schedulers.simulator import Simulator


class EasyOncePerInstant(EasyBackfillScheduler):
    def pass_after(self, ended, submitted, now):
        self.cpu_snapshot.archive_old_slices(now)
        for job in ended:
            self.cpu_snapshot.delTailofJobFromCpuSlices(job)
        self.unscheduled_jobs += submitted
        return [JobStartEvent(now, job) for job in self._schedule_jobs(now)]


class ConservativeOncePerInstant(ConservativeScheduler):
    def are_tried_again(self, ended):
        return len(ended) > 0

    def pass_after(self, ended, submitted, now):
        self.cpu_snapshot.archive_old_slices(now)
        for job in ended:
            self.unfinished_jobs_by_submit_time.remove(job)
            self.cpu_snapshot.delTailofJobFromCpuSlices(job)
        starts = self._reschedule_jobs(now) if self.are_tried_again(ended) else []
        for job in submitted:
            starts += ConservativeScheduler.new_events_on_job_submission(self, job, now)
        return starts


class ConservativeAfterEarlyEnds(ConservativeOncePerInstant):
    def are_tried_again(self, ended):
        return any(job.actual_run_time < job.predicted_run_time for job in ended)


class SimulatorOncePerInstant(Simulator):
    """Holds what ends and arrives at an instant until the last of it."""

    def __init__(self, *arguments):
        self.ended, self.submitted = [], []
        Simulator.__init__(self, *arguments)

    def handle_submission_event(self, event):
        self.submitted.append(event.job)
        self.pass_if_last(event)

    def handle_termination_event(self, event):
        self.ended.append(event.job)
        self.pass_if_last(event)

    def pass_if_last(self, event):
        if not self.event_queue.is_empty:
            after = self.event_queue.pop()
            self.event_queue.add_event(after)
            if after.timestamp == event.timestamp and not isinstance(after, JobStartEvent):
                return
        ended, self.ended = sorted(self.ended, key=lambda job: job.id), []
        submitted, self.submitted = sorted(self.submitted, key=lambda job: job.id), []
        for each in self.scheduler.pass_after(ended, submitted, event.timestamp):
            self.event_queue.add_event(each)


def main(discipline, nodes, path, *options):
    nodes, is_early = int(nodes), '--after-early-ends' in options
    is_one_pass = is_early or '--one-pass' in options
    rows = [row for row in csv.DictReader(open(path)) if row['start_time']]
    rows.sort(key=lambda row: float(row['submit_time']))  # stable: ties as in the log
    jobs = [
        Job(at, int(float(row['estimate'])), int(float(row['run_time'])), int(row['size']), int(float(row['submit_time'])))
        for at, row in enumerate(rows)
    ]
    schedulers = {
        ('easy', False): EasyBackfillScheduler,
        ('easy', True): EasyOncePerInstant,
        ('conservative', False): ConservativeScheduler,
        ('conservative', True): ConservativeAfterEarlyEnds if is_early else ConservativeOncePerInstant,
    }
    kind = SimulatorOncePerInstant if is_one_pass else Simulator
    kind(jobs, nodes, schedulers[discipline, is_one_pass](nodes)).run()
    differing = [(row, job) for row, job in zip(rows, jobs) if int(float(row['start_time'])) != job.start_to_run_at_time]
    for row, job in differing:
        start = int(float(row['start_time']))
        print('%s %s %d %d' % (row['job'], row['submit_time'], start, job.start_to_run_at_time))
    sys.stderr.write('%d jobs, %d start at another time\n' % (len(rows), len(differing)))


main(*sys.argv[1:])
