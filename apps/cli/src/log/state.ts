import { expectedEnd, type LogState } from '@cloister/eventlog'
import { formatIdset } from '@cloister/topology'
import { Effect, Option } from 'effect'
import { type ForwardingTable, forwardingTable } from './forwarding.ts'
import { describeIdleCauses, idleCauses } from './idle-causes.ts'
import { concludeReading } from './log-reading.ts'
import { print } from '../terminal/output.ts'
import { count } from '../terminal/quantities.ts'
import { type Moment, stateAt } from './state-at.ts'
import { fields, table } from '../terminal/table.ts'
import { OptionConflictError } from '../errors/errors.ts'
import { attempt } from '../errors/attempt.ts'

export interface StateOptions extends Moment {
  readonly log: string
  readonly routes: boolean
  readonly switch: Option.Option<string>
  readonly idle: boolean
  readonly policy: Option.Option<string>
  readonly json: boolean
}

export const showState = Effect.fn(function* ({ log, at, seq, routes, idle, policy, json, ...options }: StateOptions) {
  if (routes && idle)
    return yield* new OptionConflictError({
      options: ['--routes', '--idle'],
      reason: 'print two different results; give one of the two options',
    })
  if (!idle && Option.isSome(policy))
    return yield* new OptionConflictError({
      options: ['--policy'],
      reason: 'needs --idle: without --idle no policy runs',
    })
  if (!routes && Option.isSome(options.switch))
    return yield* new OptionConflictError({
      options: ['--switch'],
      reason: 'needs --routes: give both options, or none',
    })
  const { state, outcome } = yield* stateAt(log, { at, seq })
  if (idle) {
    const result = yield* idleCauses(state, policy)
    yield* print(json, result, () => describeIdleCauses(result))
  } else if (routes) {
    const result = yield* attempt(() =>
      forwardingTable(
        state,
        Option.getOrElse(options.switch, () => 'leaf0'),
      ),
    )
    yield* print(json, result, () => describeRoutes(result))
  } else {
    const result = summary(state)
    yield* print(json, result, () => describe(result))
  }
  yield* concludeReading([{ path: log, outcome }])
})

function summary(state: LogState) {
  const { header, topology } = state
  const pods = Array.from({ length: topology.pods }, (_, pod) => ({ pod, nodes: 0, free: 0, down: 0 }))
  for (let node = 0; node < topology.nodes; node++) {
    const pod = pods[topology.podOfLeaf[topology.leafOfNode[node]]]
    pod.nodes++
    if (state.freeNodes.has(node)) pod.free++
    if (state.downNodes.has(node)) pod.down++
  }
  return {
    policy: `${header.policy.name}@${header.policy.version}`,
    topology: topology.name,
    workload: header.workload.name,
    /** Number of the last record before the shown state. */
    seq: state.seq,
    t: state.t,
    free: state.freeNodes.size,
    down: formatIdset(state.downNodes.ids()),
    pods,
    waiting: [...state.waiting.values()].map(({ job, size, t }) => ({ job, size, submitted: t })),
    reservations: [...state.reservations.values()].map(({ seq, job, start, nodes }) => ({ job, start, nodes, seq })),
    running: [...state.running.values()].map(({ submit, allocate }) => ({
      job: submit.job,
      size: submit.size,
      started: allocate.t,
      ...ending(expectedEnd({ submit, allocate })),
      nodes: allocate.nodes,
      seq: allocate.seq,
    })),
  }
}

function ending(end: number | undefined): { readonly expectedEnd?: number } {
  return end === undefined ? {} : { expectedEnd: end }
}

function describeRoutes({ switch: name, scheme, entries }: ForwardingTable): string {
  const title = `${name}: ${count(entries.length)} entries, scheme ${scheme}`
  return entries.length === 0
    ? title
    : `${title}\n\n${table(
        ['destination', 'job', 'port'],
        entries.map(({ node, job, port }) => [node, job, port]),
      )}`
}

function describe(state: ReturnType<typeof summary>): string {
  const nodes = state.pods.reduce((sum, pod) => sum + pod.nodes, 0)
  const queued = state.waiting.slice(0, 5).map(({ job, size }) => `${job} (${count(size)})`)
  const facts = fields([
    ['run', `${state.policy} on ${state.topology}, ${state.workload}`],
    ['state', `after record ${state.seq}, t = ${state.t} s`],
    ['free nodes', `${count(state.free)} of ${count(nodes)}`],
    ...(state.down === '' ? [] : [['down nodes', state.down] as const]),
    ['running', `${count(state.running.length)} jobs`],
    [
      'waiting',
      `${count(state.waiting.length)} jobs${queued.length === 0 ? '' : `; the first, with the number of nodes: ${queued.join(', ')}${state.waiting.length > queued.length ? ', …' : ''}`}`,
    ],
    ...state.reservations.map(
      ({ job, start, nodes }) => ['reserved', `job ${job}, to start at ${start} s on nodes ${nodes}`] as const,
    ),
  ])
  const pods = table(
    ['pod', 'nodes', 'free', 'down'],
    state.pods.map(({ pod, nodes, free, down }) => [pod, nodes, free, down]),
  )
  const running = table(
    ['running job', 'nodes', 'started', 'expected end', 'on'],
    state.running.map(({ job, size, started, expectedEnd, nodes }) => [job, size, started, expectedEnd ?? '-', nodes]),
  )
  return [facts, pods, ...(state.running.length === 0 ? [] : [running])].join('\n\n')
}
