import { list, named, number, oneOf, optional, orNull, struct, text, union } from './kinds.ts'
import { PathAtMoment } from './paths.ts'

export const FragmentationCause = oneOf(['links', 'none', 'order', 'reservation', 'search', 'shape']).annotate({
  identifier: 'FragmentationCause',
  description:
    'Cause of idle nodes while a waiting job requests at most as many nodes: - `shape`: the policy finds no placement on the idle nodes, even if all links were free and up. - `links`: links between the idle nodes are allocated or down. - `reservation`: the job would delay a reservation. - `order`: a scheduling pass does not try the job, because of queue order or window. - `search`: the policy gave up the search. - `none`: no cause; the next scheduling pass starts the job.',
})
export type FragmentationCause = typeof FragmentationCause.Type

const FragmentedNodes = named(
  'FragmentedNodes',
  'Number of idle nodes in a state of a log, the cause, and the job that the cause concerns.',
  {
    nodes: number(),
    cause: FragmentationCause,
    job: text('First job in queue order that requests at most as many nodes as are idle.'),
  },
)

export const IdleCauses = named(
  'IdleCauses',
  'Numbers of nodes at one moment of a log, by use. The sum of `nodes` is the number of nodes of the machine.',
  {
    seq: number(),
    t: number(),
    nodes: struct({
      busy: number(),
      beyondRequest: number(),
      down: number(),
      noJob: number(),
      tooFewNodes: number(),
      fragmented: number(),
    }),
    because: orNull(
      FragmentedNodes,
      'Waiting job that requests no more nodes than are idle, and why the job waits; null if all jobs request more.',
    ),
  },
)
export type IdleCauses = typeof IdleCauses.Type

export const ForwardingTable = named(
  'ForwardingTable',
  'Forwarding table of one switch: for each node that the switch has an entry for, the port towards the node.',
  {
    switch: text(),
    scheme: text(),
    entries: list(
      struct({
        node: text(),
        job: optional(
          text('Running job that holds the node; absent for other nodes, which only tables of the whole machine have.'),
        ),
        port: number(),
      }),
    ),
  },
)
export type ForwardingTable = typeof ForwardingTable.Type

/** Results of commands with `--json`, by command. */
export const stateResults = {
  state: union([
    IdleCauses,
    ForwardingTable,
    PathAtMoment,
    struct({
      policy: text(),
      topology: text(),
      workload: text(),
      seq: number('Number of the last record before the shown state.'),
      t: number(),
      free: number(),
      down: text(),
      downLinks: list(
        struct({
          level: number(),
          link: number(),
          name: text(),
          rails: optional(text('Rails in which the cable of the link is down; absent on a machine with one rail.')),
        }),
      ),
      pods: list(struct({ pod: number(), nodes: number(), free: number(), down: number() })),
      waiting: list(struct({ job: text(), size: number(), submitted: number(), estimate: optional(number()) })),
      reservations: list(struct({ job: text(), start: number(), nodes: text(), seq: number() })),
      running: list(
        struct({
          job: text(),
          size: number(),
          started: number(),
          nodes: text(),
          seq: number(),
          expectedEnd: optional(number()),
        }),
      ),
      unroutable: optional(list(struct({ job: text(), reason: text() }))),
    }),
  ]),
}
