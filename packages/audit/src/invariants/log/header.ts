import type { Header } from '@cloister/eventlog'
import { parseTopology, type Topology, TopologyError, topologyToJson } from '@cloister/topology'
import type { Invariant } from '../../invariant.ts'

export const headerFits: Invariant = {
  name: 'header',
  property:
    'What the header says goes together: a name that spells a machine is that of its machine; the discipline is another scheduler’s only where one was watched; a queue that does not backfill has no window and no kill option, and only EASY tries its window in an order of its own or plans anew; only links that are shared up to a cap have a capacity.',
  begin(model, tally) {
    const { header, topology } = model
    for (const wrong of [whatIsWrongWithName(header, topology), ...whatIsWrongWithQueue(header), capacityOf(header)]) {
      tally.tested()
      if (wrong !== undefined) tally.violated(header, wrong)
    }
    return {}
  },
}

/** Names of presets and shapes say all of the machine; any other name says nothing. */
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

function whatIsWrongWithQueue({ origin, queue }: Header): ReadonlyArray<string | undefined> {
  const { backfill, window, kill, passing, replans, movers, reservation } = queue
  const isBackfilling = backfill === 'easy' || backfill === 'conservative'
  return [
    backfill === 'external' && origin !== 'observed'
      ? `the discipline is external, though no other scheduler was watched (origin: ${origin})`
      : undefined,
    isBackfilling || window === undefined ? undefined : `a window of ${window}, though backfill is ${backfill}`,
    passing !== undefined && backfill !== 'easy'
      ? `a window tried ${passing} first, though backfill is ${backfill}`
      : undefined,
    replans === true && (backfill !== 'easy' || kill === true)
      ? `reservations planned anew, though backfill is ${backfill}${kill === true ? ' with the kill option' : ''}`
      : undefined,
    movers !== undefined && (backfill !== 'easy' || reservation !== 'movable')
      ? `jobs of ${movers} nodes that move a reservation, though backfill is ${backfill} and nothing moves one`
      : undefined,
    kill === true && backfill !== 'easy' ? `a kill option, though backfill is ${backfill}` : undefined,
  ]
}

function capacityOf({ policy: { claims, link_capacity: capacity } }: Header): string | undefined {
  return capacity === undefined || claims.links === 'capped'
    ? undefined
    : `a link_capacity of ${capacity}, though links are ${claims.links}`
}
