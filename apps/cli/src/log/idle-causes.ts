import { headerTopology, type LogState } from '@cloister/eventlog'
import { type FragmentationCause, fragmentedNodes, type FragmentedNodes } from '@cloister/replay'
import { bind, blamePolicy, OptionError, Policies } from '@cloister/run'
import { Effect, Option } from 'effect'
import { attempt } from '../errors/attempt.ts'
import { PolicyLookup } from '../policy/policy-lookup.ts'
import { count, percent } from '../terminal/quantities.ts'
import { fields, table } from '../terminal/table.ts'
import { runTimesOfLog } from './run-times-of-log.ts'

/** Numbers of nodes at one moment of a log, by use. The sum of `nodes` is the number of nodes of the machine. */
export interface IdleCauses {
  readonly seq: number
  readonly t: number
  readonly nodes: {
    readonly busy: number
    readonly beyondRequest: number
    readonly down: number
    readonly noJob: number
    readonly tooFewNodes: number
    readonly fragmented: number
  }
  /** Waiting job that requests no more nodes than are idle, and why the job waits; null if all jobs request more. */
  readonly because: FragmentedNodes | null
}

/**
 * Counts the nodes in a state of a log by use. If a waiting job requests at most as many nodes as are idle, asks the
 * policy of the log why the job does not start.
 */
export const idleCauses = Effect.fnUntraced(function* (state: LogState, policy: Option.Option<string>) {
  const idle = state.freeNodes.size
  const running = [...state.running.values()]
  const busy = running.reduce((sum, { submit }) => sum + submit.size, 0)
  const allocated = running.reduce((sum, { nodes }) => sum + nodes.length, 0)
  const hasWaiting = state.waiting.size > 0
  const isPlaceable = [...state.waiting.values()].some(({ size }) => size <= idle)
  const result: IdleCauses = {
    seq: state.seq,
    t: state.t,
    nodes: {
      busy,
      beyondRequest: allocated - busy,
      down: state.topology.nodes - allocated - idle,
      noJob: hasWaiting ? 0 : idle,
      tooFewNodes: hasWaiting && !isPlaceable ? idle : 0,
      fragmented: isPlaceable ? idle : 0,
    },
    because: isPlaceable && idle > 0 ? yield* ask(state, policy) : null,
  }
  return result
})

const ask = Effect.fnUntraced(function* (state: LogState, policy: Option.Option<string>) {
  const { header } = state
  const policies = yield* PolicyLookup
  const found = yield* Option.match(policy, {
    onNone: () => policies.findOfLog(header.policy.name),
    onSome: policies.find,
  })
  if (found.policy.name !== header.policy.name)
    return yield* new OptionError({
      option: 'policy',
      reason: `found ${found.policy.name}, expected ${header.policy.name}, the policy of the log`,
    })
  const topology = headerTopology(header)
  const { placer } = yield* bind(found, topology, header.policy.config)
  const runTimes = yield* runTimesOfLog(header, topology).pipe(
    Effect.provideService(Policies, { find: (name) => policies.findOfLog(name) }),
  )
  return yield* attempt(() => blamePolicy(found, 'place', () => fragmentedNodes(state, placer, runTimes) ?? null))
})

const causes: Readonly<Record<FragmentationCause, string>> = {
  shape: 'the idle nodes have no shape that the policy allows',
  links: 'links between the idle nodes are allocated or down',
  reservation: 'a start would delay a reservation',
  order: 'the queue order or the window excludes the job',
  search: 'the policy gave up the search for a placement',
  none: 'no reason; the next scheduling pass starts the job',
}

export function describeIdleCauses({ seq, t, nodes, because }: IdleCauses): string {
  const all = Object.values(nodes).reduce((sum, each) => sum + each, 0)
  const named: Readonly<Record<keyof IdleCauses['nodes'], string>> = {
    busy: 'busy',
    beyondRequest: 'beyond the request',
    down: 'down',
    noJob: 'idle, no job waits',
    tooFewNodes: 'idle, too few for every waiting job',
    fragmented: 'idle, enough for a waiting job',
  }
  const rows = (Object.keys(named) as ReadonlyArray<keyof IdleCauses['nodes']>).map((cause) => [
    named[cause],
    count(nodes[cause]),
    percent(nodes[cause] / all, 2),
  ])
  return [
    fields([
      ['state', `after record ${seq}, t = ${t} s`],
      ...(because === null
        ? []
        : [
            [
              'fragmented',
              `job ${because.job} fits into the number of idle nodes, but waits: ${causes[because.cause]}`,
            ] as const,
          ]),
    ]),
    table(['use', 'nodes', 'share'], rows),
  ].join('\n\n')
}
