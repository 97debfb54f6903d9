import type { Header } from '@cloister/eventlog'
import { parseTopology, type Topology, TopologyError, topologyToJson } from '@cloister/topology'
import type { ClusterModel } from '../../cluster/cluster-model.ts'
import type { Invariant } from '../../invariant.ts'

export const headerFits: Invariant = {
  name: 'header',
  property:
    'The members of the header do not contradict each other. A topology name that spells a preset or a shape describes the header’s machine. Only an observed log has an external discipline. Only EASY and conservative backfilling without the kill option have the option `reservation`. Only EASY has the options `windowOrder`, `replan` (without the kill option) and `moveMinNodes` (with movable reservations). Only links shared up to a cap have a capacity. A simulation has no withdraw records, no gap records and no times that were learned later (`happened`).',
  begin(model, tally) {
    const { header, topology } = model
    for (const wrong of [whatIsWrongWithName(header, topology), ...whatIsWrongWithQueue(model), capacityOf(header)]) {
      tally.tested()
      if (wrong !== undefined) tally.violated(header, wrong)
    }
    if (header.origin !== 'simulated') return {}
    return {
      every(record) {
        if (record.type !== 'withdraw' && record.type !== 'gap' && !('happened' in record)) return
        tally.tested()
        const what =
          record.type === 'withdraw' || record.type === 'gap' ? `a ${record.type}` : 'a time that was learned later'
        tally.violated(record, `${what} in a simulation, where nothing is learned later and nothing is withdrawn`)
      },
    }
  },
}

/** Compares the machine with the topology's name if the name is a preset or a shape. No other name has a meaning. */
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
    : `the topology is called ${JSON.stringify(name)}, which is another machine than the header's`
}

/** Returns the fault of each option of the queue discipline; undefined for none. */
function whatIsWrongWithQueue({ header: { origin, options }, rules }: ClusterModel): ReadonlyArray<string | undefined> {
  const { backfill, kill = false, reservation } = rules.queue
  const moves = backfill === 'easy' && reservation === 'movable'
  const faults: ReadonlyArray<readonly [isWrong: boolean, what: string]> = [
    [
      backfill === 'external' && origin !== 'observed',
      `the discipline is external, though no other scheduler was watched (origin: ${origin})`,
    ],
    [
      options.windowOrder !== undefined && backfill !== 'easy',
      `a window tried ${options.windowOrder} first, though the queue is ${options.queue}`,
    ],
    [
      options.replan !== undefined && (backfill !== 'easy' || kill),
      `reservations planned again at every pass, though the queue is ${options.queue}`,
    ],
    [
      options.reservation !== undefined && (rules.queue.window === undefined || kill),
      `a reservation that is ${options.reservation}, though the queue is ${options.queue}`,
    ],
    [
      options.moveMinNodes !== undefined && !moves,
      `jobs of ${options.moveMinNodes} nodes that move a reservation, though the queue is ${options.queue} and nothing moves a reservation`,
    ],
  ]
  return faults.map(([isWrong, what]) => (isWrong ? what : undefined))
}

function capacityOf({ policy: { claims, link_capacity: capacity } }: Header): string | undefined {
  return capacity === undefined || claims.links === 'capped'
    ? undefined
    : `a link_capacity of ${capacity}, though links are ${claims.links}`
}
