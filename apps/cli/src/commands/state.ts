import { expectedEnd, type LogState, secondsBetween } from '@cloister/eventlog'
import type { FragmentationCause } from '@cloister/replay'
import { attempt } from '@cloister/run'
import { formatIdset, inRails, linkName } from '@cloister/topology'
import { Effect, Option } from 'effect'
import { Command, Flag } from 'effect/cli'
import { concludeReading } from '../log/log-reading.ts'
import { LogWords } from '../log/log-words.ts'
import { nodeTimeUses } from '../log/measurement.ts'
import { forwardingTable, stateAt } from '../log/moment.ts'
import { describePathAtMoment, nodePair, pathAtMoment } from '../log/paths.ts'
import type { ForwardingTable, IdleCauses } from '../results/state.ts'
import { print } from '../terminal/output.ts'
import { count, counted, percent } from '../terminal/quantities.ts'
import { type Cell, fields, paragraphs, table } from '../terminal/table.ts'
import { jsonFlag, logArgument, momentFlags, onFlag, type Options, refuseIf, textFlag, timeFlag } from './flags.ts'

const flags = {
  log: logArgument,
  ...momentFlags,
  routes: onFlag(
    'routes',
    'Show the forwarding table of one switch\nA log with a router has the table. For a log without one the table is computed: partition routing if the policy allocates links to jobs, else D-mod-k.',
  ),
  switch: textFlag('switch', 'NAME', 'Switch for --routes, default: leaf0\nExamples: leaf3, l2-0, spine7.').pipe(
    Flag.optional,
  ),
  from: textFlag('from', 'NODE', 'Show the path of messages from this node to the node of --to').pipe(Flag.optional),
  to: textFlag(
    'to',
    'NODE',
    'Node at the end of the path of --from\nThe tables are the tables of --routes. If a switch drops the messages, the path ends at this switch.',
  ).pipe(Flag.optional),
  idle: onFlag(
    'idle',
    'Count nodes by use: busy, beyond the request, down, idle\nIf enough nodes for a waiting job are idle, the policy of the log runs, and gives the reason why the job does not start. The log of a real machine has no policy that can run.',
  ),
  policy: textFlag(
    'policy',
    'NAME',
    'Policy of the log for --idle, as a file or a package\nNeeded if the policy of the log is not built in.',
  ).pipe(Flag.optional),
  time: timeFlag,
  json: jsonFlag,
}

export const state = Command.make('state', flags, (options) => showState(options)).pipe(
  Command.withDescription(
    'Show queue and machine at one moment of a run\nThe text lists the first ten running, waiting and reserved jobs and down links, with times in seconds, or with --time clock in UTC. --json lists all jobs.',
  ),
  Command.withExamples([
    { command: 'cloister state run.ndjson --at 3600', description: 'Show the state after the first hour' },
    { command: 'cloister state run.ndjson --seq 1000 --json', description: 'Show the state after record 1000' },
    {
      command: 'cloister state run.ndjson --at 3600 --idle',
      description: 'Count idle nodes, and show why they are idle',
    },
    {
      command: 'cloister state run.ndjson --at 3600 --routes --switch leaf3',
      description: 'Show the forwarding table of leaf 3',
    },
    {
      command: 'cloister state run.ndjson --at 3600 --from node3 --to node40',
      description: 'Show the path of messages from node 3 to node 40',
    },
  ]),
)

const showState = Effect.fn(function* ({
  log,
  at,
  seq,
  routes,
  idle,
  policy,
  time,
  json,
  ...options
}: Options<typeof flags>) {
  yield* refuseIf(routes && idle, '--routes and --idle print two different results; give one of the two options')
  yield* refuseIf(!idle && Option.isSome(policy), '--policy needs --idle: without --idle no policy runs')
  const pair = yield* nodePair(options.from, options.to)
  yield* refuseIf(
    pair !== undefined && (routes || idle),
    `--from and ${routes ? '--routes' : '--idle'} print two different results; give one of the two options`,
  )
  const hasUnusedSwitch = !routes && Option.isSome(options.switch)
  yield* refuseIf(hasUnusedSwitch, '--switch needs --routes: give both options, or none')
  const { state, outcome } = yield* stateAt(log, { at, seq })
  const words = yield* attempt(() => new LogWords(log, state.header, time === 'clock'))
  const isOfMachine = state.header.options.queue === 'external'
  yield* refuseIf(
    isOfMachine && Option.isSome(policy),
    '--policy is not needed: this log is of a real machine, whose scheduler cannot be asked',
  )
  if (idle) {
    const result = yield* idleCauses(state, policy)
    yield* print('state', json, result, () => describeIdleCauses(result, words))
  } else if (routes) {
    const result = yield* attempt(() =>
      forwardingTable(
        state,
        Option.getOrElse(options.switch, () => 'leaf0'),
      ),
    )
    yield* print('state', json, result, () => describeRoutes(result))
  } else if (pair !== undefined) {
    const result = yield* attempt(() => pathAtMoment(state, pair))
    yield* print('state', json, result, () => describePathAtMoment(result, words))
  } else {
    const result = summary(state)
    yield* print('state', json, result, () => describe(result, words))
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
    downLinks: state.downLinks.flatMap((ids, level) =>
      Array.from(ids.ids(), (link) => {
        const rails = state.railsOfDownLink(level, link)
        return { level, link, name: linkName(topology, level, link), ...(rails !== undefined && { rails }) }
      }),
    ),
    pods,
    waiting: [...state.waiting.values()].map(({ job, size, t, estimate }) => ({
      job,
      size,
      submitted: t,
      ...(estimate === undefined ? {} : { estimate }),
    })),
    reservations: [...state.reservations.values()].map(({ seq, job, start, nodes }) => ({ job, start, nodes, seq })),
    running: [...state.running.values()].map(({ submit, allocate }) => ({
      job: submit.job,
      size: submit.size,
      started: allocate.t,
      ...ending(expectedEnd({ submit, allocate })),
      nodes: allocate.nodes,
      seq: allocate.seq,
    })),
    /** Running jobs that have lost their routes; absent for a log without a router. */
    ...(header.router && {
      unroutable: [...state.running.keys()].flatMap((job) => {
        const reason = state.unroutable(job)
        return reason === undefined ? [] : [{ job, reason }]
      }),
    }),
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
        entries.map(({ node, job, port }) => [node, job ?? '', port]),
      )}`
}

/** Number of jobs or links in each list of the text output. */
const LISTED = 10

function describe(state: ReturnType<typeof summary>, words: LogWords): string {
  const nodes = state.pods.reduce((sum, pod) => sum + pod.nodes, 0)
  const facts = fields([
    ['run', `${state.policy} on ${state.topology}, ${state.workload}`],
    ['state', `after record ${state.seq}, t = ${words.moment(state.t)}`],
    ['free nodes', `${count(state.free)} of ${count(nodes)}`],
    ['down nodes', state.down === '' ? undefined : words.nodes(state.down)],
    ['down links', state.downLinks.length === 0 ? undefined : firstLinks(state.downLinks)],
    ['running', counted(state.running.length, 'job')],
    ['unroutable', unroutableJobs(state.unroutable ?? [])],
    ['waiting', counted(state.waiting.length, 'job')],
    ['reserved', state.reservations.length === 0 ? undefined : counted(state.reservations.length, 'job')],
  ])
  const running = firstJobs(
    ['running job', 'nodes', words.heading('started'), words.heading('expected end'), 'on nodes'],
    state.running.map(({ job, size, started, expectedEnd, nodes }) => [
      job,
      size,
      words.time(started),
      expectedEnd === undefined ? '-' : words.time(expectedEnd),
      words.nodes(nodes),
    ]),
  )
  const waiting = firstJobs(
    ['waiting job', 'nodes', words.heading('submitted'), 'waited', 'estimate'],
    state.waiting.map(({ job, size, submitted, estimate }) => [
      job,
      size,
      words.time(submitted),
      secondsBetween(submitted, state.t),
      estimate ?? '-',
    ]),
  )
  const reserved = firstJobs(
    ['reserved job', words.heading('planned start'), 'on nodes'],
    state.reservations.map(({ job, start, nodes }) => [job, words.time(start), words.nodes(nodes)]),
  )
  const pods = table(
    ['pod', 'nodes', 'free', 'down'],
    state.pods.map(({ pod, nodes, free, down }) => [pod, nodes, free, down]),
  )
  return paragraphs([facts, running, waiting, reserved, pods])
}

function unroutableJobs(lost: ReadonlyArray<{ readonly job: string; readonly reason: string }>): string | undefined {
  if (lost.length === 0) return undefined
  return lost.length === 1 ? `job ${lost[0].job}: ${lost[0].reason}` : `jobs ${lost.map(({ job }) => job).join(', ')}`
}

function firstLinks(links: ReturnType<typeof summary>['downLinks']): string {
  const rest = links.length - LISTED
  const names = links.slice(0, LISTED).map(({ name, rails }) => `${name}${inRails(rails)}`)
  return `${names.join(', ')}${rest > 0 ? ` and ${counted(rest, 'more link')}` : ''}`
}

/** Returns a table of the first jobs, with times in seconds, and the number of further jobs; undefined without jobs. */
function firstJobs(heading: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<Cell>>): string | undefined {
  if (rows.length === 0) return undefined
  const first = table(heading, rows.slice(0, LISTED))
  return rows.length <= LISTED ? first : `${first}\nand ${counted(rows.length - LISTED, 'more job')}`
}

/**
 * Counts the nodes in a state of a log by use. If a waiting job requests at most as many nodes as are idle, asks the
 * policy of the log why the job does not start.
 */
const idleCauses = Effect.fnUntraced(function* (state: LogState, policy: Option.Option<string>) {
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
    because:
      isPlaceable && idle > 0 && state.header.options.queue !== 'external' ? yield* causesOf(state, policy) : null,
  }
  return result
})

/** Loads the policies and the scheduler, which other parts of the command do not need. */
const causesOf = Effect.fnUntraced(function* (state: LogState, policy: Option.Option<string>) {
  const { fragmentedNodesOf } = yield* Effect.promise(() => import('../log/fragmented-nodes.ts'))
  return yield* fragmentedNodesOf(state, policy)
})

const causes: Readonly<Record<FragmentationCause, string>> = {
  shape: 'the idle nodes have no shape that the policy allows',
  links: 'links between the idle nodes are allocated or down',
  reservation: 'a start would delay a reservation',
  order: 'the queue order or the window excludes the job',
  search: 'the policy gave up the search for a placement',
  none: 'no reason; the next scheduling pass starts the job',
}

function describeIdleCauses({ seq, t, nodes, because }: IdleCauses, words: LogWords): string {
  const all = Object.values(nodes).reduce((sum, each) => sum + each, 0)
  const rows = nodeTimeUses.map(([use, label]) => [label, count(nodes[use]), percent(nodes[use] / all, 2)])
  return [
    fields([
      ['state', `after record ${seq}, t = ${words.moment(t)}`],
      [
        'fragmented',
        because === null
          ? undefined
          : `job ${because.job} fits into the number of idle nodes, but waits: ${causes[because.cause]}`,
      ],
    ]),
    table(['use', 'nodes', 'share'], rows),
  ].join('\n\n')
}
