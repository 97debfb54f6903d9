import { list, named, number, oneOf, optional, orNull, struct, text } from './kinds.ts'
import { HistoryFit } from './diff.ts'

export const CandidateFit = named('CandidateFit', 'Comparison of a simulated candidate with the history.', {
  utilizationError: number('Mean over the days of the absolute difference in utilization, as a share of the machine.'),
  ...HistoryFit.fields,
})
export type CandidateFit = typeof CandidateFit.Type

export const GroupFit = named(
  'GroupFit',
  'Jobs of a group with recorded waits, and mean waits in seconds: in the history, and under each candidate. The mean under a candidate is of the jobs that start; null if none does.',
  { group: text(), jobs: number(), recorded: number(), simulated: list(orNull(number())) },
)
export type GroupFit = typeof GroupFit.Type

export const Unexplained = named(
  'Unexplained',
  'Facts about a history that no queue order of the candidates explains.',
  {
    waited: struct(
      { jobs: number(), hours: number() },
      "Jobs that waited more than 5 minutes, and these jobs' waits in hours.",
    ),
    besideIdleNodes: struct(
      { jobs: number(), hours: number() },
      'Jobs of `waited` with enough idle nodes during the whole wait, by the jobs of the trace.',
    ),
    askedForGpus: struct(
      { jobs: number(), hours: number() },
      'Jobs of `besideIdleNodes` that asked for GPUs: the trace does not say which GPUs were free.',
    ),
    byQueue: list(
      struct({ queue: text(), jobs: number(), hours: number() }),
      '`besideIdleNodes` by queue, the queue with most hours first; empty if the trace names no queue.',
    ),
    mostNodes: number('Most nodes that the jobs of the trace used at a time.'),
    leftOut: number('Jobs of the trace that the run leaves out.'),
    outages: number('Failures and repairs of nodes and links in the log. A node that is down is not idle.'),
    meanDown: number('Mean number of nodes that were down, from the first submission to the last recorded end.'),
  },
)
export type Unexplained = typeof Unexplained.Type

/** Results of commands with `--json`, by command. */
export const calibrateResults = {
  calibrate: struct({
    workload: text(),
    topology: text(),
    nodes: number(),
    policy: text(),
    estimates: oneOf(['exact', 'requested']),
    candidates: list(struct({ candidate: text(), queue: text(), order: text(), ...CandidateFit.fields })),
    unexplained: Unexplained,
    by: optional(oneOf(['account', 'month', 'queue', 'size', 'user'])),
    groups: optional(list(GroupFit)),
  }),
}
