import type { Header } from '@cloister/eventlog'
import { parseTopology, type Topology, TopologyError, topologyToJson } from '@cloister/topology'
import type { Invariant } from '../../invariant.ts'

export const headerFits: Invariant = {
  name: 'header',
  property:
    'The members of the header do not contradict each other. A topology name that spells a preset or a shape describes the header’s machine. Only an observed log has an external discipline. Only EASY and conservative backfilling have a window and a reservation option. Only EASY has `passing`, `replans` (without the kill option), `movers` (with movable reservations) and the kill option. Only links shared up to a cap have a capacity. A simulation has no withdraw records, no gap records and no times that were learned later (`happened`).',
  begin(model, tally) {
    const { header, topology } = model
    for (const wrong of [whatIsWrongWithName(header, topology), ...whatIsWrongWithQueue(header), capacityOf(header)]) {
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

type Queue = Header['queue']

/** Returns the fault of each field of a queue; undefined for none. The compiler finds a forgotten field. */
const queueFaults: {
  readonly [Field in keyof Queue]-?: (queue: Queue, origin: Header['origin']) => string | undefined
} = {
  order: () => undefined,
  requeue: () => undefined,
  backfill: ({ backfill }, origin) =>
    backfill === 'external' && origin !== 'observed'
      ? `the discipline is external, though no other scheduler was watched (origin: ${origin})`
      : undefined,
  window: ({ backfill, window }) =>
    window === undefined || backfill === 'easy' || backfill === 'conservative'
      ? undefined
      : `a window of ${window}, though backfill is ${backfill}`,
  passing: ({ backfill, passing }) =>
    passing === undefined || backfill === 'easy'
      ? undefined
      : `a window tried ${passing} first, though backfill is ${backfill}`,
  replans: ({ backfill, kill, replans }) =>
    replans === undefined || (backfill === 'easy' && kill === undefined)
      ? undefined
      : `reservations planned anew, though backfill is ${backfill}${kill === true ? ' with the kill option' : ''}`,
  reservation: ({ backfill, reservation }) =>
    reservation === undefined || backfill === 'easy' || backfill === 'conservative'
      ? undefined
      : `a reservation that is ${reservation}, though backfill is ${backfill}`,
  movers: ({ backfill, movers, reservation }) =>
    movers === undefined || (backfill === 'easy' && reservation === 'movable')
      ? undefined
      : `jobs of ${movers} nodes that move a reservation, though backfill is ${backfill} and nothing moves one`,
  kill: ({ backfill, kill }) =>
    kill === undefined || backfill === 'easy' ? undefined : `a kill option, though backfill is ${backfill}`,
}

function whatIsWrongWithQueue({ origin, queue }: Header): ReadonlyArray<string | undefined> {
  return Object.values(queueFaults).map((faultOf) => faultOf(queue, origin))
}

function capacityOf({ policy: { claims, link_capacity: capacity } }: Header): string | undefined {
  return capacity === undefined || claims.links === 'capped'
    ? undefined
    : `a link_capacity of ${capacity}, though links are ${claims.links}`
}
