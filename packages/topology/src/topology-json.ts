import { absentIds, pgftWithout } from './absent-parts.ts'
import { formatIdset, IdsetError, parseIdset } from './idsets.ts'
import { type BlockJson, blocksToJson, withBlocksOfJson } from './blocks.ts'
import { pgft } from './pgft.ts'
import { withRails } from './rails.ts'
import { type Parents, switchGraph } from './switch-graph.ts'
import { TopologyError } from './topology-error.ts'
import type { PgftShape, Rails, Topology } from './topology.ts'

/**
 * Topology in a log's header, without names of nodes and switches: the shape of a regular tree, the shape of a whole
 * tree with the parts that are absent, or a switch graph; and the blocks of nodes, if any.
 */
export type TopologyJson = {
  readonly name: string
  readonly blocks?: ReadonlyArray<BlockJson>
  readonly rails?: RailsJson
} & (
  | { readonly pgft: PgftShape }
  | { readonly envelope: PgftShape; readonly absent: AbsentJson }
  | { readonly graph: { readonly leaves: ReadonlyArray<number>; readonly parents: Parents } }
)

/** `Rails` in a log's header. */
export interface RailsJson {
  readonly count: number
  readonly common_from?: number
}

/** Ids in the whole tree of absent nodes, switches and links, as idsets; a missing field stands for no absent part. */
export interface AbsentJson {
  readonly nodes?: string
  /** Absent switches, one idset a level, without empty idsets at the end. */
  readonly switches?: ReadonlyArray<string>
  /** Absent links, one idset a level, without empty idsets at the end. */
  readonly links?: ReadonlyArray<string>
}

/** Returns a topology for the header of an event log. The header has names in other fields. */
export function topologyToJson(topology: Topology): TopologyJson {
  const json = treeToJson(topology)
  const { blocks, rails } = topology
  return {
    ...json,
    ...(blocks !== undefined && { blocks: blocksToJson(blocks) }),
    ...(rails !== undefined && { rails: railsToJson(rails) }),
  }
}

function railsToJson({ count, commonFrom }: Rails): RailsJson {
  return { count, ...(commonFrom !== undefined && { common_from: commonFrom }) }
}

function treeToJson(topology: Topology): TopologyJson {
  const { name, pgft: shape, envelope } = topology
  if (shape !== undefined) return { name, pgft: copyOf(shape) }
  if (envelope !== undefined) return { name, envelope: copyOf(envelope.shape), absent: absentJson(topology) }
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

function copyOf({ m, w, p }: PgftShape): PgftShape {
  return { m: [...m], w: [...w], p: [...p] }
}

function absentJson(topology: Topology): AbsentJson {
  const { nodes, switches, links } = absentIds(topology)!
  const levels = (ids: ReadonlyArray<Int32Array>): ReadonlyArray<string> =>
    ids.slice(0, ids.findLastIndex(({ length }) => length > 0) + 1).map(formatIdset)
  const lists = { switches: levels(switches), links: levels(links) }
  return {
    ...(nodes.length > 0 && { nodes: formatIdset(nodes) }),
    ...(lists.switches.length > 0 && { switches: lists.switches }),
    ...(lists.links.length > 0 && { links: lists.links }),
  }
}

/** Builds a tree without absent parts. @throws TopologyError if `absent` is not as `topologyToJson` writes it */
function withoutAbsent(shape: PgftShape, absent: unknown, name: string): Topology {
  const { nodes = '', switches = [], links = [] } = (absent ?? {}) as AbsentJson
  let topology: Topology
  try {
    const ids = { nodes: parseIdset(nodes), switches: switches.map((each) => parseIdset(each)) }
    topology = pgftWithout(shape, { ...ids, links: links.map((each) => parseIdset(each)) }, name)
  } catch (error) {
    if (error instanceof TopologyError) throw error
    const why = error instanceof IdsetError ? error.message : 'expected idsets of nodes, switches and links'
    throw new TopologyError(why, { source: name, field: 'topology.absent' })
  }
  if (topology.envelope !== undefined && JSON.stringify(absentJson(topology)) === JSON.stringify(absent))
    return topology
  const written = topology.envelope === undefined ? 'pgft, as no part is absent' : JSON.stringify(absentJson(topology))
  throw new TopologyError(`the canonical form of these absent parts is ${written}`, {
    source: name,
    field: 'topology.absent',
  })
}

/** Builds a topology from a value of `topologyToJson`. @throws TopologyError if the value is no `TopologyJson` */
export function topologyFromJson(json: TopologyJson): Topology {
  if (typeof json !== 'object' || json === null)
    throw new TopologyError('expected an object with name and pgft, envelope or graph', { field: 'topology' })
  const { blocks, rails } = json
  const tree = treeFromJson(json)
  const machine = blocks === undefined ? tree : withBlocksOfJson(tree, blocks)
  if (rails === undefined) return machine
  const { count, common_from: commonFrom } = Object(rails) as RailsJson
  return withRails(machine, { count, ...(commonFrom !== undefined && { commonFrom }) }, machine.name)
}

function treeFromJson(json: TopologyJson): Topology {
  const value: { readonly [Key in 'name' | 'pgft' | 'envelope' | 'absent' | 'graph']?: unknown } = json
  const { name, pgft: shape, envelope, absent, graph } = value
  if (typeof name !== 'string' || name === '') throw new TopologyError('expected text', { field: 'topology.name' })
  if ([shape, envelope, graph].filter((each) => each !== undefined).length !== 1)
    throw new TopologyError('expected one of pgft, envelope and graph', { source: name, field: 'topology' })
  if (shape !== undefined) return pgft(shape as PgftShape, name)
  if (envelope !== undefined) return withoutAbsent(envelope as PgftShape, absent, name)
  if (typeof graph !== 'object' || graph === null)
    throw new TopologyError('expected an object with leaves and parents', { source: name, field: 'topology.graph' })
  const { leaves, parents } = graph as { leaves: ReadonlyArray<number>; parents: Parents }
  return switchGraph({ name, leaves, parents })
}
