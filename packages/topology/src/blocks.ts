import { formatIdset, IdsetError, parseIdset } from './idsets.ts'
import { show, TopologyError } from './topology-error.ts'
import type { NodeBlock, Topology } from './topology.ts'

/** Block in a log's header: its name, and the ids of its nodes as an idset. */
export interface BlockJson {
  readonly name: string
  readonly nodes: string
}

/**
 * Returns the machine with blocks from the name of each node's block. The nodes of a leaf without the name of a block
 * form a block of their own, which has the name of the leaf. Returns the machine itself if no node has a block.
 */
export function withBlocksOf(topology: Topology, blockOfNode: (node: number) => string | undefined): Topology {
  const named = new Map<string, number[]>()
  const unnamed = new Map<number, number[]>()
  for (let node = 0; node < topology.nodes; node++) {
    const name = blockOfNode(node)
    const leaf = topology.leafOfNode[node]
    const nodes = name === undefined ? unnamed.get(leaf) : named.get(name)
    if (nodes !== undefined) nodes.push(node)
    else if (name === undefined) unnamed.set(leaf, [node])
    else named.set(name, [node])
  }
  if (named.size === 0) return topology
  const rest = [...unnamed].map(([leaf, nodes]) => [topology.levels[0].names?.[leaf] ?? `leaf${leaf}`, nodes] as const)
  const blocks = [...named, ...rest].map(([name, nodes]) => ({ name, nodes: Int32Array.from(nodes) }))
  return { ...topology, blocks: blocks.sort((a, b) => a.nodes[0] - b.nodes[0]) }
}

/** Returns a part of a machine with the blocks of the machine, without the nodes that the part lacks. */
export function keepBlocks({ blocks, envelope: whole }: Topology, part: Topology): Topology {
  if (blocks === undefined) return part
  const nodeAt = new Map(Array.from({ length: part.nodes }, (_, node) => [part.envelope?.nodes[node] ?? node, node]))
  const kept = blocks.map(({ name, nodes }) => ({
    name,
    nodes: Int32Array.from(
      [...nodes].flatMap((node) => nodeAt.get(whole === undefined ? node : whole.nodes[node]) ?? []),
    ),
  }))
  return { ...part, blocks: kept.filter(({ nodes }) => nodes.length > 0) }
}

/** Returns blocks for the header of an event log. */
export function blocksToJson(blocks: ReadonlyArray<NodeBlock>): ReadonlyArray<BlockJson> {
  return blocks.map(({ name, nodes }) => ({ name, nodes: formatIdset(nodes) }))
}

/**
 * Returns a machine with blocks from the header of an event log.
 *
 * @throws TopologyError if the value is no list of blocks, if a node is in no block or in two blocks, or if the blocks
 *   are not in the order of their first nodes
 */
export function withBlocksOfJson(topology: Topology, json: unknown): Topology {
  const fail = (problem: string): never => {
    throw new TopologyError(problem, { source: topology.name, field: 'topology.blocks' })
  }
  if (!Array.isArray(json) || json.length === 0) return fail(`expected a list of blocks, found ${show(json)}`)
  const isInBlock = new Uint8Array(topology.nodes)
  let [last, count] = [-1, 0]
  const blocks = (json as ReadonlyArray<Partial<BlockJson> | null>).map((block): NodeBlock => {
    const { name, nodes: text } = block ?? {}
    if (typeof name !== 'string' || name === '' || typeof text !== 'string' || text === '')
      return fail('expected name and nodes of each block')
    const nodes = idsOf(text, fail)
    if (nodes[0] <= last) fail(`block ${show(name)} is not in the order of the blocks' first nodes`)
    last = nodes[0]
    for (const node of nodes) {
      if (node >= topology.nodes) fail(`node ${node} of block ${show(name)} is beyond the machine`)
      if (isInBlock[node]++ > 0) fail(`node ${node} is in two blocks`)
    }
    count += nodes.length
    return { name, nodes }
  })
  if (count < topology.nodes) fail(`node ${isInBlock.indexOf(0)} is in no block`)
  return { ...topology, blocks }
}

function idsOf(text: string, fail: (problem: string) => never): Int32Array {
  try {
    return Int32Array.from(parseIdset(text))
  } catch (error) {
    if (error instanceof IdsetError) return fail(error.message)
    throw error
  }
}
