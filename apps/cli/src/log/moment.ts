import { LoggedTables, type LogOutcome, type LogState, milliseconds, type RunningJob } from '@cloister/eventlog'
import { type SeekableLog, seekInLog } from '@cloister/eventlog/node'
import { dModK, partitionRouter, routesOfLog } from '@cloister/network'
import type { Routes } from '@cloister/placement'
import { attempt } from '@cloister/run'
import { describeIrregularity, nodeName, switchName, type Topology } from '@cloister/topology'
import { Effect, Option } from 'effect'
import { noRecord, Problem } from '../errors/errors.ts'
import type { ForwardingTable } from '../results/state.ts'
import { nearest } from '../terminal/nearest.ts'
import { remark } from '../terminal/output.ts'

export interface Moment {
  readonly at: Option.Option<number>
  readonly seq: Option.Option<number>
}

/**
 * Returns the state of queue and machine at a moment of a log, by default the end of the log. At the end, also returns
 * the outcome of reading. A large log is read whole only once, because the program keeps an index file beside the log.
 */
export const stateAt = Effect.fnUntraced(function* (path: string, { at, seq }: Moment) {
  if (Option.isSome(at) && Option.isSome(seq))
    return yield* new Problem('--at and --seq name two different states; give one of the two options')
  const remarks: Array<string> = []
  const find = (log: SeekableLog): { readonly state: LogState; readonly outcome: LogOutcome | undefined } => {
    const last = log.index.records - 1
    const wanted = Option.getOrElse(seq, () => (Option.isSome(at) ? log.seqAt(at.value) : last))
    if (Option.isSome(at) && at.value < 0) throw noRecord(path, '--at', at.value)
    if (wanted < 0) throw noRecord(path, '--seq', wanted)
    if (wanted > last) throw noRecord(path, '--seq', wanted, last)
    checkWithinPart(path, log, { at, seq })
    return { state: log.stateAt(wanted), outcome: wanted === last ? log.outcome : undefined }
  }
  const found = yield* Effect.exit(attempt(() => seekInLog(path, find, (text) => remarks.push(text))))
  yield* Effect.forEach(remarks, remark)
  return yield* found
})

function checkWithinPart(path: string, log: SeekableLog, { at, seq }: Moment): void {
  const { part } = log.index.header
  if (part === undefined) return
  const outside = (found: string, expected: string): Problem =>
    new Problem(
      `${path}: ${found} is outside of the part of a run in this log, and the log lacks jobs there; expected ${expected}`,
    )
  if (Option.isSome(at) && (at.value < part.from || at.value > part.until))
    throw outside(`--at ${at.value}`, `--at ${part.from} to ${part.until} (seconds)`)
  const first = Math.max(0, log.seqAt((milliseconds(part.from) - 1) / 1000))
  if (Option.isSome(seq) && seq.value < first) throw outside(`--seq ${seq.value}`, `--seq ${first} or later`)
}

/** Forwarding tables of a machine at one moment of a log. */
interface Forwarding {
  /**
   * Name of the log's router. For a log without routes: `partition` if the policy claims owned links, else `d-mod-k` on
   * the whole tree.
   */
  readonly scheme: string
  readonly routes: Routes
  /** Running jobs in the order of their starts. */
  readonly running: ReadonlyArray<RunningJob>
}

/**
 * Returns the forwarding tables of the machine in a state of a log: the tables in the log's route records, or computed
 * tables if the log has no router.
 *
 * @throws Problem if the machine or a job has no routes
 * @throws RoutingError if the routes exceed `routesOfLog`, the limit for the routes of a log
 */
export function forwardingOf({ topology, header, running: jobs, routes: logged }: LogState): Forwarding {
  const running = [...jobs.values()].sort((a, b) => a.allocate.seq - b.allocate.seq)
  if (header.router !== undefined)
    return { scheme: header.router.name, routes: new LoggedTables(topology, logged.values()), running }
  if (header.policy.claims.links !== 'owned') {
    if (topology.pgft === undefined)
      throw unroutable(
        topology.name,
        `${describeIrregularity(topology)}; routes can be computed only on regular trees, such as radix:18`,
      )
    return { scheme: 'd-mod-k', routes: dModK(topology), running }
  }
  const router = partitionRouter(routesOfLog)
  const tables = router.make(topology)
  if ('unsupported' in tables) throw unroutable(topology.name, tables.unsupported)
  for (const { submit, ...parts } of running) {
    const change = tables.start(submit.job, parts)
    if ('unroutable' in change) throw unroutable(`job ${submit.job}`, change.unroutable)
  }
  return { scheme: router.name, routes: tables, running }
}

function unroutable(subject: string, reason: string): Problem {
  return new Problem(`${subject} cannot be routed: ${reason}`)
}

/**
 * Returns the forwarding table of a switch in a state of a log. @throws Problem
 * @param name name of the switch, for example `leaf3`, `l2-3`, `spine3`, or a name from the topology file
 */
export function forwardingTable(state: LogState, name: string): ForwardingTable {
  const { topology } = state
  const { level, sw } = switchNamed(topology, name)
  const { scheme, routes } = forwardingOf(state)
  const entries = Array.from({ length: topology.nodes }, (_, node) => {
    const job = state.nodeOwner(node)?.submit.job
    const port = routes.port(level, sw, node)
    // Computed tables are about the messages of running jobs only.
    const isShown = port >= 0 && (job !== undefined || state.header.router !== undefined)
    return isShown ? [{ node: nodeName(topology, node), ...(job === undefined ? {} : { job }), port }] : []
  }).flat()
  return { switch: name, scheme, entries }
}

function switchNamed(topology: Topology, name: string): { readonly level: number; readonly sw: number } {
  const names = topology.levels.map(({ switches }, level) =>
    Array.from({ length: switches }, (_, sw) => switchName(topology, level, sw)),
  )
  const level = names.findIndex((ofLevel) => ofLevel.includes(name))
  if (level >= 0) return { level, sw: names[level].indexOf(name) }
  const close = nearest(name, names.flat())
  throw new Problem(
    `--switch: ${topology.name} has no switch ${JSON.stringify(name)}${close === undefined ? '.' : `; did you mean ${close}?`} The switches are ${names[0][0]} to ${names.at(-1)!.at(-1)!}`,
  )
}
