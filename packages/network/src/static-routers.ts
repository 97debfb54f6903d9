import type { Router, Routes, SwitchEntries } from '@cloister/placement'
import { describeIrregularity, type Topology } from '@cloister/topology'
import { dModK, randomUpPorts } from './routes.ts'

/**
 * Router `d-mod-k`: one table for the whole tree, where the destination alone chooses the way up (Zahavi, "D-Mod-K
 * routing providing non-blocking traffic for shift permutations on real life fat trees", 2010). The tables never change.
 */
export const dModKRouter: Router = staticRouter('d-mod-k', dModK)

/** Router `random`: each switch sends messages for a destination up by a random port, with seed 1 of `randomUpPorts`. */
export const randomRouter: Router = staticRouter('random', (topology) => randomUpPorts(topology, 1))

/** Returns a router whose tables are there before the first job and never change. */
function staticRouter(name: string, routesOf: (topology: Topology) => Routes): Router {
  return {
    contract: 1,
    name,
    version: '1.0.0',
    claims: { links: 'shared', changes: 'none' },
    make: (topology) => {
      if (topology.pgft === undefined)
        return { unsupported: `${describeIrregularity(topology)}; routes are made on regular trees, such as radix:18` }
      const routes = routesOf(topology)
      return {
        port: (level, sw, node) => routes.port(level, sw, node),
        initial: () => allEntries(topology, routes),
        start: () => [],
        end: () => [],
      }
    },
  }
}

function* allEntries(topology: Topology, routes: Routes): Generator<SwitchEntries> {
  const nodes = Int32Array.from({ length: topology.nodes }, (_, node) => node)
  for (const [level, { switches }] of topology.levels.entries())
    for (let sw = 0; sw < switches; sw++)
      yield { level, sw, nodes, ports: Int16Array.from(nodes, (node) => routes.port(level, sw, node)) }
}
