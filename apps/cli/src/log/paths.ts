import {
  describePath,
  directedLinkName,
  type Header,
  LoggedTables,
  type LogRecord,
  LogState,
  type RoutedPath,
  RoutedPaths,
} from '@cloister/eventlog'
import { nodeName, switchName, type Topology } from '@cloister/topology'
import { Effect, Option } from 'effect'
import { Problem } from '../errors/errors.ts'
import type { JobRoutes, PathAtMoment, PathResult } from '../results/paths.ts'
import { nearest } from '../terminal/nearest.ts'
import { counted } from '../terminal/quantities.ts'
import { fields } from '../terminal/table.ts'
import type { LogWords } from './log-words.ts'
import { forwardingOf } from './moment.ts'

/** Names of the two nodes of the options `--from` and `--to`. */
export interface NodePair {
  readonly from: string
  readonly to: string
}

/** Returns the nodes of the options `--from` and `--to`; undefined if both are absent. Fails if one is absent. */
export function nodePair(
  from: Option.Option<string>,
  to: Option.Option<string>,
): Effect.Effect<NodePair | undefined, Problem> {
  if (Option.isSome(from) && Option.isSome(to)) return Effect.succeed({ from: from.value, to: to.value })
  if (Option.isNone(from) && Option.isNone(to)) return Effect.succeed(undefined)
  return Effect.fail(new Problem('a path needs two nodes; give --from and --to'))
}

function pathResult(topology: Topology, path: RoutedPath): PathResult {
  return {
    from: nodeName(topology, path.from),
    to: nodeName(topology, path.to),
    arrives: path.lost === null,
    switches: path.switches.map(({ level, sw }) => switchName(topology, level, sw)),
    links: path.links.map((link) => ({
      level: link.level,
      link: link.link,
      direction: link.isUp ? 'up' : 'down',
      name: directedLinkName(topology, link),
    })),
    lost: path.lost,
    text: describePath(topology, path),
  }
}

/** Returns the id of a node by its name or id. @throws Problem */
function nodeNamed(topology: Topology, option: string, name: string): number {
  const names = Array.from({ length: topology.nodes }, (_, node) => nodeName(topology, node))
  const found = names.indexOf(name)
  if (found >= 0) return found
  if (/^\d{1,9}$/.test(name) && Number(name) < topology.nodes) return Number(name)
  const close = nearest(name, names)
  throw new Problem(
    `--${option}: ${topology.name} has no node ${JSON.stringify(name)}${close === undefined ? '.' : `; did you mean ${close}?`} The nodes are ${names[0]} to ${names.at(-1)!}`,
  )
}

/** Returns the path between two nodes in a state of a log. @throws Problem */
export function pathAtMoment(state: LogState, { from, to }: NodePair): PathAtMoment {
  const { topology } = state
  const [source, target] = [nodeNamed(topology, 'from', from), nodeNamed(topology, 'to', to)]
  const { scheme, routes } = forwardingOf(state)
  const [owner, other] = [source, target].map((node) => state.nodeOwner(node)?.submit.job ?? null)
  const path = pathResult(topology, new RoutedPaths(topology, routes).between(source, target))
  return { seq: state.seq, t: state.t, scheme, job: owner === other ? owner : null, ...path }
}

export function describePathAtMoment({ seq, t, scheme, job, text }: PathAtMoment, words: LogWords): string {
  return fields([
    ['state', `after record ${seq}, t = ${words.moment(t)}`],
    ['tables', scheme],
    ['job', job === null ? 'no job holds both nodes' : `${job} holds both nodes`],
    ['path', text],
  ])
}

/**
 * Returns the routes of a job at its last start, or at a later time.
 *
 * @param records all records of a log with a router
 * @param at time in seconds; undefined for the instant of the job's last start
 * @returns null if the job never starts
 * @throws Problem if the job does not run at the time `at`, or if a node is not a node of the job
 */
export function jobRoutes(
  records: Iterable<LogRecord>,
  job: string,
  started: { readonly seq: number; readonly t: number } | undefined,
  at: number | undefined,
  pair: NodePair | undefined,
): JobRoutes | null {
  if (started === undefined && at === undefined) return null
  const state = stateOf(records, (record) =>
    at !== undefined || started === undefined
      ? record.t > at!
      : record.t > started.t || (record.seq > started.seq && record.type === 'release' && record.job === job),
  )
  const { topology, header, routes: logged } = state
  const running = state.running.get(job)
  if (running === undefined)
    throw new Problem(
      `job ${job} does not run at t = ${at ?? state.t} s${started === undefined ? '' : `; its last start is at ${started.t} s`}`,
    )
  const paths = new RoutedPaths(topology, new LoggedTables(topology, logged.values()))
  const { pairs, lost, firstLost, links } = paths.ofJob(running.nodes)
  const own = new LoggedTables(
    topology,
    [...logged.values()].filter((route) => route.job === job),
  )
  const [busiest = null] = links
  return {
    router: header.router!.name,
    seq: state.seq,
    t: state.t,
    ...own.size(),
    pairs,
    lost,
    firstLost: firstLost && describePath(topology, firstLost),
    links: links.length,
    busiest: busiest && { name: directedLinkName(topology, busiest), destinations: busiest.destinations },
    ...(pair === undefined ? {} : { path: pathOfJob(topology, paths, running.nodes, job, pair) }),
  }
}

/** Returns the state before the first record for which `isAfter` returns true. */
function stateOf(records: Iterable<LogRecord>, isAfter: (record: Exclude<LogRecord, Header>) => boolean): LogState {
  let state: LogState | undefined
  for (const record of records) {
    if (record.type === 'header') state = new LogState(record)
    else if (isAfter(record)) break
    else state!.apply(record)
  }
  return state!
}

function pathOfJob(
  topology: Topology,
  paths: RoutedPaths,
  nodes: ArrayLike<number>,
  job: string,
  pair: NodePair,
): PathResult {
  const [from, to] = (['from', 'to'] as const).map((option) => {
    const node = nodeNamed(topology, option, pair[option])
    if (!Array.from(nodes).includes(node))
      throw new Problem(
        `--${option}: ${nodeName(topology, node)} is not a node of job ${job}; cloister state --from --to shows the path between any two nodes`,
      )
    return node
  })
  return pathResult(topology, paths.between(from, to))
}

/** Describes the routes of a job, for the last part of an explanation. */
export function describeJobRoutes(routes: JobRoutes | null, words: LogWords): string {
  if (routes === null) return 'Routes of the job: none, because the job did not start'
  const { router, seq, t, entries, switches, pairs, lost, firstLost, links, busiest, path } = routes
  return `Routes of the job after record ${seq}, t = ${words.moment(t)}:\n${fields([
    [
      'entries',
      entries === 0
        ? `none of the job alone, by the router ${router}`
        : `${counted(entries, 'entry', 'entries')} at ${counted(switches, 'switch', 'switches')}, by the router ${router}`,
    ],
    [
      'pairs',
      pairs === 0
        ? 'none: the job has one node'
        : lost === 0
          ? `${counted(pairs, 'pair')} of nodes, each with a path`
          : `${lost} of ${counted(pairs, 'pair')} of nodes without a path: ${firstLost}`,
    ],
    ['links', pairs === 0 ? undefined : links === 0 ? 'none: all messages stay on one leaf' : counted(links, 'link')],
    [
      'busiest',
      busiest === null
        ? undefined
        : `${busiest.name}, with messages for ${counted(busiest.destinations, 'node')} of the job`,
    ],
    ['path', path?.text],
  ])}`
}
