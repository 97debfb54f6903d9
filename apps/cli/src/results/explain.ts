import { flag, list, named, number, of, oneOf, optional, orNull, struct, text, union } from './kinds.ts'
import { Json } from './records.ts'
import { JobRoutes } from './paths.ts'

const Accounting = named(
  'Accounting',
  'Accounting of a foreign scheduler in a submit record, with the queue of the job.',
  {
    queue: optional(text()),
    qos: optional(text()),
    advance_reservation: optional(text()),
    priority: optional(number()),
    gpus: optional(number()),
    array: optional(text()),
    array_task: optional(number()),
    het_job: optional(text()),
    het_offset: optional(number()),
  },
)

const ChangeCause = named(
  'ChangeCause',
  "Cause of a change of a job's reservation: - `early-end`: a running job ended before its estimate. - `overrun`: a job on the reserved nodes runs past its estimate. - `in-the-way`: a job on the reserved nodes runs, by its estimate, beyond the planned start. - `made-way`: the reservation made way for a job that started. - `planned-anew`: the policy places the job elsewhere, because every pass plans the head's reservation again. - `down`, `up`: nodes or links failed or came back. - `other-head`: a different job is the head of the queue. - `left-window`: the job is outside of the window. - `cancel`: the job was cancelled.",
  {
    event: oneOf([
      'cancel',
      'down',
      'early-end',
      'in-the-way',
      'left-window',
      'made-way',
      'other-head',
      'overrun',
      'planned-anew',
      'up',
    ]),
    job: orNull(text()),
    seq: orNull(number(), '`seq` of the end, start or outage that caused the change; null if the cause has no record.'),
    rails: optional(
      text('Rails whose cables failed or came back, as an idset; absent if whole links failed or came back.'),
    ),
  },
)

const Freed = named('Freed', "Job that ended or moved, with the nodes and links that went to a job's start.", {
  job: text(),
  seq: number("Record of the job's finish or kill, or of the release by which the job moves."),
  moves: optional(oneOf([true], 'True if the job moved and runs on; absent if the job ended.')),
  nodes: text('Idset of the common nodes, empty for none.'),
  links: number('Number of common links, summed over all levels.'),
})

const JobMove = named(
  'JobMove',
  'Move of a running job to other nodes for the start of the job `for`. Record `seq` has the new nodes.',
  {
    seq: number(),
    t: number(),
    for: text(),
    nodes: text('Nodes after the move, as an idset.'),
    cost: number('Time that the move adds to the run of the job, in seconds.'),
  },
)

const JobStart = named('JobStart', 'Start of a job: the nodes, and the events that made the start possible.', {
  type: oneOf(['allocate']),
  seq: number(),
  t: number(),
  nodes: text(),
  gpus: optional(number('Graphics processors of the allocation; absent if unknown.')),
  startedBy: optional(
    oneOf(['backfill', 'main', 'submit'], 'Part of a foreign scheduler that started the job; absent if unknown.'),
  ),
  ahead: number('Number of jobs that waited before this job in the queue at its start.'),
  freed: list(
    Freed,
    'Jobs whose nodes or links the started job got, and that ended between the previous pass and the start.',
  ),
  cause: struct(
    { seq: number(), type: text(), job: orNull(text()) },
    'Event that caused the scheduling pass; type `reserve` if the pass came at the time of a reservation.',
  ),
})

const LostRoutes = named('LostRoutes', "Loss of a job's routes from record `seq` on.", {
  seq: number(),
  t: number(),
  reason: text('Message of the router about two nodes without a route between them.'),
})

const Offer = named('Offer', 'Largest job that a policy would have placed instead of a refused job.', {
  t: number('Instant of the first such refusal, in seconds.'),
  nodes: number('Number of nodes, less than the size of the refused job; 0 if the policy would have placed no job.'),
})

const Overtaking = named('Overtaking', 'Start of a job from a place in the queue behind the explained job.', {
  seq: number(),
  t: number(),
  job: text(),
  size: number(),
  backfilled: flag('True if the job was backfilled beside the reservation of the explained job.'),
})

const QueuePlace = oneOf(['early', 'head', 'outside', 'window']).annotate({
  identifier: 'QueuePlace',
  description:
    'Place of a waiting job: first in the queue, in the window that a pass tries, or outside of the window. A job with the place `early` is not yet in the queue: its order claims `recorded`, and some job of an earlier turn is not submitted.',
})

const RateChange = named(
  'RateChange',
  "Change of a job's rate: from record `seq` on, `rate` thousandths of the job's rate without other jobs.",
  {
    seq: number(),
    t: number(),
    rate: number(),
    because: orNull(
      struct({ seq: number(), change: oneOf(['end', 'start']), job: text() }),
      'Start or release of a job that changed the rate; null if the record of the change has another cause.',
    ),
  },
)

const ReservationChange = named(
  'ReservationChange',
  "Change of the explained job's reservation, with the causes of the change.",
  {
    seq: number(),
    t: number(),
    change: oneOf(['elsewhere', 'later', 'made', 'sooner', 'withdrawn']),
    start: orNull(number(), 'Planned start of the reserved job; null if the reservation was withdrawn.'),
    nodes: orNull(text()),
    because: list(ChangeCause),
  },
)

const JobWait = named(
  'JobWait',
  'Consecutive passes that left the job waiting at the same place in the queue and for the same reason.',
  {
    from: number(),
    to: number(),
    passes: number(),
    place: QueuePlace,
    reason: orNull(
      struct({ code: text(), constraint: text(), nearest: Json }),
      'Reason of the wait, with the nearest miss at the first pass; null if not known, or if no pass tried the job.',
    ),
  },
)

const WaitingEnd = union([
  JobStart,
  struct({ type: oneOf(['cancel']), seq: number(), t: number() }),
  struct({ type: oneOf(['reject']), seq: number(), t: number(), code: text(), constraint: text() }),
]).annotate({
  identifier: 'WaitingEnd',
  description: "End of a job's wait: the job started, was cancelled or was rejected.",
})

export const ExplainedJob = named('ExplainedJob', 'Job of a log, with the reasons of its waits. Times are seconds.', {
  largestOffer: orNull(
    Offer,
    'Largest job that the policy would have placed when it refused the job; null if the policy did not refuse the job, or if the policy did not run again.',
  ),
  differsFrom: orNull(
    number(),
    'Number of the first record at which the policy decides differently in a rerun, or null without a difference.',
  ),
  reasonsUntil: orNull(
    number(),
    'Number of the first record from which the reasons of the policy are unknown. Null if all reasons are known.',
  ),
  routes: optional(
    orNull(JobRoutes, 'Routes of the job; null if the job did not start; absent if the log has no router.'),
  ),
  job: text(),
  size: number(),
  estimate: orNull(number(), "Estimate in seconds; null if the job's submit record has none."),
  submitted: number(),
  accounting: optional(
    of(Accounting, 'Accounting of a foreign scheduler about the job; absent if the submit record has none.'),
  ),
  passes: struct(
    { head: number(), outside: number(), window: number(), early: optional(number()) },
    "Number of scheduling passes that left the job waiting, by the job's place in the queue.",
  ),
  waits: list(JobWait),
  turn: optional(
    struct(
      { forTurn: number(), forNodes: number() },
      'Seconds until all jobs of earlier turns had started or left the queue, and seconds that the job then waited for nodes; absent unless the queue order claims `recorded`.',
    ),
  ),
  heads: list(
    struct({ job: text(), seconds: number() }),
    'Heads of the queue while the job waited behind the head, the longest head first; none for a real machine.',
  ),
  reservations: list(ReservationChange),
  overtakenBy: list(Overtaking, 'Starts of jobs from places behind the explained job, while the explained job waited.'),
  ends: list(WaitingEnd, "Ends of the job's waits. A job that was killed and queued again has several ends."),
  stillWaits: flag(),
  moves: optional(list(JobMove, 'Moves of the running job to other nodes; absent for none.')),
  lostRoutes: optional(list(LostRoutes, "Losses of the job's routes by failures; absent for none.")),
  slowed: optional(list(RateChange, "Changes of the job's rate; absent if the log has no rates.")),
})
export type ExplainedJob = typeof ExplainedJob.Type

/** Results of commands with `--json`, by command. */
export const explainResults = { explain: ExplainedJob }
