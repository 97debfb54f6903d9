import { quote, TopologyError } from '../topology-error.ts'
import type { SwitchLine } from './switch-line.ts'

/** Block of nodes in Slurm's plugin `topology/block`. */
export interface Block {
  /** Line of the file that defines the block, from 1; undefined if the parser of a `topology.yaml` gives no lines. */
  readonly line: number | undefined
  readonly name: string
  readonly nodes: string
}

/**
 * Returns blocks as switches: a leaf for each block, a switch for each aggregate of successive blocks, and one switch
 * at the top if several switches have no parent. `sizes` are Slurm's `BlockSizes`: nodes of a block, then of
 * aggregates.
 *
 * @throws TopologyError if a size is no power of two times the smallest size
 */
export function switchesOfBlocks(
  blocks: ReadonlyArray<Block>,
  sizes: ReadonlyArray<number>,
  place: { readonly source: string; readonly line?: number | undefined },
): SwitchLine[] {
  const [base, ...more] = [...new Set(sizes)].sort((a, b) => a - b)
  const names = new Set(blocks.map(({ name }) => name))
  const lines = blocks.map(({ line, name, nodes }): SwitchLine => ({ line, name, nodes, switches: undefined }))
  let below: ReadonlyArray<string> = blocks.map(({ name }) => name)
  let blocksInEach = 1
  for (const size of more) {
    const ratio = size / base
    if (!isPowerOfTwo(ratio))
      throw new TopologyError(`expected a power of two times ${base}, the smallest block, found ${size}`, {
        ...place,
        field: 'block_sizes',
      })
    const group = ratio / blocksInEach
    if (below.length > 1) below = aggregate(below, group, `x${ratio}`)
    blocksInEach = ratio
  }
  if (below.length > 1) aggregate(below, below.length, 'all')
  return lines

  function aggregate(children: ReadonlyArray<string>, count: number, suffix: string): ReadonlyArray<string> {
    const parents: string[] = []
    for (let at = 0; at < children.length; at += count) {
      let name = `${children[at]}-${suffix}`
      while (names.has(name)) name += '-'
      names.add(name)
      parents.push(name)
      lines.push({ line: undefined, name, nodes: undefined, switches: children.slice(at, at + count).join() })
    }
    return parents
  }
}

function isPowerOfTwo(ratio: number): boolean {
  let power = 1
  while (power < ratio) power *= 2
  return power === ratio
}

/** Reads the text of `BlockSizes`. @throws TopologyError if the text is no list of positive integers */
export function blockSizes(text: string, place: { readonly source: string; readonly line?: number }): number[] {
  return text.split(',').map((size) => {
    if (/^[1-9]\d{0,8}$/.test(size.trim())) return Number(size)
    throw new TopologyError(`expected sizes such as 18,36,72, found ${quote(text)}`, { ...place, field: 'BlockSizes' })
  })
}
