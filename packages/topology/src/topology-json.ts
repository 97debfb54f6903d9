import { pgft } from './pgft.ts'
import { type Parents, switchGraph } from './switch-graph.ts'
import { TopologyError } from './topology-error.ts'
import type { PgftShape, Topology } from './topology.ts'

/** Topology in a log's header, without names of nodes and switches: the shape of a regular tree, or a switch graph. */
export type TopologyJson =
  | { readonly name: string; readonly pgft: PgftShape }
  | { readonly name: string; readonly graph: { readonly leaves: ReadonlyArray<number>; readonly parents: Parents } }

/** Returns a topology for the header of an event log. The header's field `names` has the names of nodes. */
export function topologyToJson(topology: Topology): TopologyJson {
  const { name, pgft: shape } = topology
  if (shape !== undefined) return { name, pgft: { m: [...shape.m], w: [...shape.w], p: [...shape.p] } }
  const leaves = Array.from(
    { length: topology.leaves },
    (_, leaf) => topology.firstNodeOfLeaf[leaf + 1] - topology.firstNodeOfLeaf[leaf],
  )
  const parents = topology.levels
    .slice(0, -1)
    .map(({ switches, firstPort, parentOfLink }) =>
      Array.from({ length: switches }, (_, sw) => [...parentOfLink.subarray(firstPort[sw], firstPort[sw + 1])]),
    )
  return { name, graph: { leaves, parents } }
}

/** Builds a topology from a value of `topologyToJson`. @throws TopologyError if the value is no `TopologyJson` */
export function topologyFromJson(json: TopologyJson): Topology {
  const value: { readonly name?: unknown; readonly pgft?: unknown; readonly graph?: unknown } | null = json
  if (typeof value !== 'object' || value === null)
    throw new TopologyError('expected an object with name and pgft or graph', { field: 'topology' })
  const { name, pgft: shape, graph } = value
  if (typeof name !== 'string' || name === '') throw new TopologyError('expected text', { field: 'topology.name' })
  if ((shape === undefined) === (graph === undefined))
    throw new TopologyError('expected either pgft or graph', { source: name, field: 'topology' })
  if (shape !== undefined) return pgft(shape as PgftShape, name)
  if (typeof graph !== 'object' || graph === null)
    throw new TopologyError('expected an object with leaves and parents', { source: name, field: 'topology.graph' })
  const { leaves, parents } = graph as { leaves: ReadonlyArray<number>; parents: Parents }
  return switchGraph({ name, leaves, parents })
}
