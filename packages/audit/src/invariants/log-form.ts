import type { Header, LogRecord } from '@cloister/eventlog'
import { parseTopology, type Topology, TopologyError, topologyToJson } from '@cloister/topology'
import type { ClusterModel } from '../cluster/cluster-model.ts'
import { whatIsWrongWithOrder } from '../cluster/queue-orders.ts'
import type { Checks, Invariant, Tally } from '../invariant.ts'
import { milliseconds } from '../cluster/jobs.ts'

export const headerFits: Invariant = {
  name: 'header',
  property:
    'The members of the header do not contradict each other. If the topology’s name spells a preset or a shape, with or without absent parts, this machine is the header’s machine. Only an observed log has the queue `external`. Only EASY and conservative backfilling without the kill option have the option `reservation`. Only EASY has the option `windowOrder`, only EASY without the kill option has `replan`, and only EASY with movable reservations has `moveMinNodes`. A log in submit order names no order, and a built-in order has the claims of the order. The policy has a `link_capacity` only if its claim `links` is `capped`. A log requires the feature `progress` if the option `runTimes` is `contention`; any other simulation does not require `progress`. A log has the option `unroutable` only if it has a router. A log has the option `migrate` only if jobs own their links, run times depend on no allocation, and the queue is `fcfs`, `unreserved`, or `easy` without the kill option. The counts of `overruns` are at most the counts of all jobs. The log of a part of a run ends at the time `until` of the part.',
  begin(model, tally) {
    const { header, topology } = model
    for (const wrong of [
      whatIsWrongWithName(header, topology),
      ...whatIsWrongWithQueue(model),
      capacityOf(header),
      whatIsWrongWithOrder(header),
      progressOf(header),
      overrunsOf(header),
      unroutableOf(header),
      migrateOf(model),
    ]) {
      tally.tested()
      if (wrong !== undefined) tally.violated(header, wrong)
    }
    const { part } = header
    if (part === undefined) return {}
    return {
      end(record) {
        tally.tested()
        if (record.t !== part.until || part.from > part.until)
          tally.violated(
            record,
            `the header has the part from ${part.from} s to ${part.until} s, but the log ends at ${record.t} s`,
          )
      },
    }
  },
}

function unroutableOf({ router, options }: Header): string | undefined {
  return options.unroutable === undefined || router !== undefined
    ? undefined
    : 'the header has the option unroutable, but no router'
}

function migrateOf({ header: { policy, options }, rules: { queue, runTimes } }: ClusterModel): string | undefined {
  if (options.migrate === undefined) return undefined
  const { backfill, kill } = queue
  if (policy.claims.links !== 'owned') return 'the header has the option migrate, but jobs do not own their links'
  if (runTimes !== 'fixed') return 'the header has the option migrate, but run times depend on allocations'
  if (backfill === 'none' || backfill === 'unreserved' || (backfill === 'easy' && kill !== true)) return undefined
  return `the header has the option migrate, which the queue ${options.queue} does not have`
}

/** Accepts any topology's name that spells no preset and no shape. */
function whatIsWrongWithName({ topology: { name } }: Header, topology: Topology): string | undefined {
  let named: Topology
  try {
    named = parseTopology(name)
  } catch (error) {
    if (!(error instanceof TopologyError)) throw error
    return undefined
  }
  const described = (machine: Topology): string => JSON.stringify({ ...topologyToJson(machine), name })
  return described(named) === described(topology)
    ? undefined
    : `the topology is called ${JSON.stringify(name)}, but the header describes another machine`
}

function whatIsWrongWithQueue({ header: { origin, options }, rules }: ClusterModel): ReadonlyArray<string | undefined> {
  const { backfill, reserves, kill = false, reservation } = rules.queue
  const moves = backfill === 'easy' && reservation === 'movable'
  const faults: ReadonlyArray<readonly [isWrong: boolean, what: string]> = [
    [
      backfill === 'external' && origin !== 'observed',
      `the queue is external, but only an observed log may have this queue (origin: ${origin})`,
    ],
    [
      options.windowOrder !== undefined && backfill !== 'easy',
      `the option windowOrder is ${options.windowOrder}, but the queue is ${options.queue}; only easy has windowOrder`,
    ],
    [
      options.replan !== undefined && (backfill !== 'easy' || kill),
      `the option replan is set, but the queue is ${options.queue}; only easy without kill has replan`,
    ],
    [
      options.reservation !== undefined && (rules.queue.window === undefined || !reserves || kill),
      `the option reservation is ${options.reservation}, but the queue is ${options.queue}; only easy and conservative without kill have this option`,
    ],
    [
      options.moveMinNodes !== undefined && !moves,
      `the option moveMinNodes is ${options.moveMinNodes}, but the queue is ${options.queue}; only easy with movable reservations has moveMinNodes`,
    ],
  ]
  return faults.map(([isWrong, what]) => (isWrong ? what : undefined))
}

function capacityOf({ policy: { claims, link_capacity: capacity } }: Header): string | undefined {
  return capacity === undefined || claims.links === 'capped'
    ? undefined
    : `the link_capacity is ${capacity}, but the claim links is ${claims.links}; only capped links have a link_capacity`
}

function progressOf({ origin, requires = [], options: { runTimes } }: Header): string | undefined {
  const isSlowed = runTimes === 'contention'
  if (requires.includes('progress') === isSlowed || (!isSlowed && origin !== 'simulated')) return undefined
  return `the log ${isSlowed ? 'does not require' : 'requires'} the feature progress, but the option runTimes is ${runTimes ?? 'fixed'}`
}

function overrunsOf({ overruns, workload }: Header): string | undefined {
  if (overruns === undefined) return undefined
  if (overruns.jobs > workload.jobs)
    return `the header counts ${overruns.jobs} overruns, but the workload has ${workload.jobs} jobs`
  return overruns.node_seconds <= overruns.of_node_seconds
    ? undefined
    : `the header counts ${overruns.node_seconds} node-seconds of overruns, but the jobs have ${overruns.of_node_seconds} node-seconds`
}

export const sequence: Invariant = {
  name: 'sequence',
  property:
    'The first record is a header with seq 0, and the log has no further header. The seq of every other record is one higher than the seq of the previous record.',
  begin(_model, tally) {
    let next = 0
    return {
      every(record) {
        tally.tested()
        if (record.seq !== next) tally.violated(record, `the seq is ${record.seq}, expected ${next}`)
        else if ((record.type === 'header') !== (next === 0))
          tally.violated(
            record,
            `record ${next} is a ${record.type}, expected ${next === 0 ? 'the header' : 'no second header'}`,
          )
        next = record.seq + 1
      },
    }
  },
}

export const seals: Invariant = {
  name: 'seals',
  property:
    'Every record after the header whose seq is a multiple of `seal_every` is a seal. A seal also follows each fault and the end record. The log has no other seals, and no record follows the seal after the end record. A seal has the time of the previous record.',
  begin(model, tally) {
    const every = model.header.seal_every
    let previous: LogRecord = model.header
    let over = false
    return {
      every(record) {
        const due = previous.type === 'end' || previous.type === 'fault' || (record.seq > 0 && record.seq % every === 0)
        const isSeal = record.type === 'seal'
        if (isSeal || due) tally.tested()
        if (over)
          tally.violated(record, `the ${record.type} comes after the seal of the end record, the last record of a log`)
        else if (due && !isSeal) tally.violated(record, `the record is a ${record.type}, but a seal must stand here`)
        else if (isSeal && !due)
          tally.violated(
            record,
            `the seal stands at a wrong place: seals come every ${every} records, after a fault and after the end`,
          )
        else if (isSeal && milliseconds(record.t) !== model.time) {
          tally.violated(record, `the seal's time is ${record.t}, but the previous record has ${model.time / 1000}`)
        }
        if (isSeal && previous.type === 'end') over = true
        previous = record
      },
    }
  },
}

export const idsExist: Invariant = {
  name: 'ids-exist',
  property: 'Every node and link in a record exists in the topology.',
  begin: (model, tally) => idChecks(tally, () => model.named?.unknown),
}

export const idsAscending: Invariant = {
  name: 'ids-ascending',
  property:
    'Every set of nodes or links in a record is a canonical idset: ascending, each id once, in the longest possible ranges.',
  begin: (model, tally) => idChecks(tally, () => model.named?.malformed),
}

function idChecks(tally: Tally, fault: () => string | undefined): Checks {
  const check = (record: LogRecord): void => {
    tally.tested()
    const message = fault()
    if (message !== undefined) tally.violated(record, message)
  }
  return { allocate: check, reserve: check, down: check, up: check }
}
