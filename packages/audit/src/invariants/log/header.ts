import type { Header, LogRecord } from '@cloister/eventlog'
import { parseTopology, type Topology, TopologyError, topologyToJson } from '@cloister/topology'
import type { ClusterModel } from '../../cluster/cluster-model.ts'
import type { Invariant } from '../../invariant.ts'

export const headerFits: Invariant = {
  name: 'header',
  property:
    'The members of the header do not contradict each other. If the topology’s name spells a preset or a shape, this preset or shape is the header’s machine. Only an observed log has the queue `external`. Only EASY and conservative backfilling without the kill option have the option `reservation`. Only EASY has the option `windowOrder`, only EASY without the kill option has `replan`, and only EASY with movable reservations has `moveMinNodes`. The policy has a `link_capacity` only if its claim `links` is `capped`. A simulation has no withdraw records, no gap records, no kills with the code `preempted` or `requeued`, and no records with the field `happened`.',
  begin(model, tally) {
    const { header, topology } = model
    for (const wrong of [whatIsWrongWithName(header, topology), ...whatIsWrongWithQueue(model), capacityOf(header)]) {
      tally.tested()
      if (wrong !== undefined) tally.violated(header, wrong)
    }
    if (header.origin !== 'simulated') return {}
    return {
      every(record) {
        const what = foreignToSimulations(record)
        if (what === undefined) return
        tally.tested()
        tally.violated(record, `the log of a simulation has ${what}, which only observed and driven logs may have`)
      },
    }
  },
}

/** Describes a record that no simulation writes; undefined for any other record. */
function foreignToSimulations(record: LogRecord): string | undefined {
  if (record.type === 'withdraw' || record.type === 'gap') return `a ${record.type} record`
  if (record.type === 'kill' && (record.code === 'preempted' || record.code === 'requeued'))
    return `a kill with the code ${record.code}`
  return 'happened' in record ? 'a record with the field happened' : undefined
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
  const shape = ({ pgft }: ReturnType<typeof topologyToJson> & { readonly pgft?: object }): string =>
    JSON.stringify(pgft ?? null)
  return shape(topologyToJson(named)) === shape(topologyToJson(topology))
    ? undefined
    : `the topology is called ${JSON.stringify(name)}, but the header describes another machine`
}

function whatIsWrongWithQueue({ header: { origin, options }, rules }: ClusterModel): ReadonlyArray<string | undefined> {
  const { backfill, kill = false, reservation } = rules.queue
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
      options.reservation !== undefined && (rules.queue.window === undefined || kill),
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
