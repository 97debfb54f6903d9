import { any, flag, list, named, number, optional, orNull, struct, text, union } from './kinds.ts'

export const StartOfJob = named('StartOfJob', 'Changes that would let a waiting job start under one policy.', {
  fits: flag('True if the policy places the job now. The queue discipline may still hold the job back.'),
  byEstimates: orNull(
    number(),
    'Second at which enough running jobs have ended by their estimates; null if the job fits now, or never.',
  ),
  tried: number(
    'Number of running jobs whose end was tried, in the order of their estimated ends; 0 if the job fits now.',
  ),
  releases: list(
    struct({
      job: text(),
      size: number(),
      expectedEnd: optional(number()),
      nodes: text('Nodes of the job.'),
      movable: flag('True if instead of the end a move to other nodes is enough, which the policy finds.'),
    }),
    'Running jobs, by estimated end: the end of each single one lets the waiting job start.',
  ),
})
export type StartOfJob = typeof StartOfJob.Type

const CapacityOfPolicy = named('CapacityOfPolicy', 'Answers of one policy.', {
  policy: text(),
  config: any(),
  largest: number('Nodes of the largest further job that the policy places; 0 if the policy places no job.'),
  isExact: flag(
    'False on a machine with too many nodes for questions about every size: `largest` is then a lower bound.',
  ),
  jobs: list(
    orNull(number()),
    'For each size, the number of jobs placed one after the other; null after too many questions to the policy.',
  ),
  start: orNull(StartOfJob, 'Changes that would let the waiting job start; null if no job waits.'),
})

export const Capacity = named(
  'Capacity',
  'Jobs that fit at one moment of a log, and changes that would let a waiting job start.',
  {
    policy: text('Policy of the log.'),
    topology: text(),
    seq: number('Number of the last record before the moment.'),
    t: number(),
    nodes: number(),
    idle: number(),
    waiting: number('Number of waiting jobs.'),
    job: orNull(
      struct({ job: text(), size: number(), submitted: number(), estimate: optional(number()) }),
      'The job that would start: the head of the queue, or the job of `--job`; null if no job waits.',
    ),
    sizes: list(number(), 'Sizes in nodes, ascending. `jobs` of policies and pods are in this order.'),
    policies: list(CapacityOfPolicy),
    inOneLeaf: list(
      number(),
      'Number of jobs of each size that the idle nodes of single leaves could hold; links do not matter.',
    ),
    pods: list(
      struct({ pod: number(), idle: number(), jobs: list(number()) }),
      'Idle nodes of each pod, and the number of jobs of each size that the pod could hold; links do not matter.',
    ),
  },
)
export type Capacity = typeof Capacity.Type

export const CapacitySeries = named('CapacitySeries', 'Jobs that fit over the times of a log.', {
  policy: text('Policy of the log.'),
  topology: text(),
  every: number('Seconds between two steps.'),
  sizes: list(number(), 'Asked sizes of jobs, in nodes.'),
  policies: list(
    struct({
      idle: orNull(number(), 'Mean number of idle nodes.'),
      largest: orNull(number(), 'Mean number of nodes of the largest job that fits.'),
      share: orNull(
        number(),
        'Mean share of the idle nodes that the largest fitting job takes, over the times with idle nodes: 1 if every job of at most as many nodes as are idle would fit, near 0 if the idle nodes are fragmented.',
      ),
      policy: text(),
      config: any(),
    }),
  ),
  steps: list(
    struct({
      t: number(),
      idle: number(),
      largest: list(number(), 'Nodes of the largest job that fits, for each of `policies`.'),
      jobs: list(list(number()), 'Number of jobs of each of `sizes` that fit, for each of `policies`.'),
    }),
  ),
})
export type CapacitySeries = typeof CapacitySeries.Type

/** Results of commands with `--json`, by command. */
export const capacityResults = { capacity: union([Capacity, CapacitySeries]) }
