import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatPgft, parseSlurmTopology, parseTopology, pgft, type PgftShape, type Topology } from '../src/index.ts'
import { linksOf, shapes } from './arbitraries.ts'
import { traceFile } from './trace-files.ts'

/**
 * Returns every cable of a topology as the names of its two switches, and every node with its leaf: a description
 * without ids.
 */
function cablesByName(
  { levels, leafOfNode, nodeNames }: Topology,
  names: ReadonlyArray<ReadonlyArray<string>>,
): ReadonlyArray<string> {
  const cables = levels.flatMap((_, level) =>
    level + 1 < levels.length
      ? linksOf({ levels } as Topology, level).map(
          ([sw, , parent]) => `${names[level][sw]}-${names[level + 1][parent]}`,
        )
      : [],
  )
  const nodes = [...leafOfNode].map((leaf, node) => `${nodeNames![node]}-${names[0][leaf]}`)
  return [...cables, ...nodes].sort()
}

const namesOf = ({ levels }: Topology) => levels.map(({ names }) => names!)

/** Random files `topology.conf` of a regular tree, with lines in random order and with names in random order. */
const renumbered: fc.Arbitrary<{
  readonly shape: PgftShape
  readonly text: string
  readonly cables: ReadonlyArray<string>
}> = shapes.chain((shape) => {
  const tree = pgft(shape)
  const counts = tree.levels.map(({ switches }) => switches)
  const total = counts.reduce((sum, count) => sum + count, 0)
  const numbers = fc.shuffledSubarray(
    Array.from({ length: total }, (_, i) => i),
    { minLength: total },
  )
  return fc.tuple(numbers, fc.constant(shape)).chain(([order]) => {
    let next = 0
    const names = counts.map((count) => Array.from({ length: count }, () => `s${order[next++]}`))
    const named = { ...tree, nodeNames: Array.from({ length: tree.nodes }, (_, node) => `n${node}`) }
    const lines = [...linesOf(named, names)]
    return fc
      .shuffledSubarray(lines, { minLength: lines.length })
      .map((shuffled) => ({ shape, text: shuffled.join('\n'), cables: cablesByName(named, names) }))
  })
})

function linesOf(tree: Topology, names: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> {
  return names.flatMap((ofLevel, level) =>
    ofLevel.map((name, sw) => {
      if (level === 0) {
        const nodes = [...tree.leafOfNode.keys()].filter((node) => tree.leafOfNode[node] === sw)
        return `SwitchName=${name} Nodes=${nodes.map((node) => tree.nodeNames![node]).join()}`
      }
      const children = linksOf(tree, level - 1).filter(([, , parent]) => parent === sw)
      return `SwitchName=${name} Switches=${[...new Set(children.map(([child]) => names[level - 1][child]))].join()}`
    }),
  )
}

describe('a topology.conf of a regular tree', () => {
  test('a topology.conf of a regular tree gives a regular tree, for any order of the lines and any names of switches', () => {
    fc.assert(
      fc.property(renumbered, ({ shape, text, cables }) => {
        const read = parseSlurmTopology(text, 'x', { cables: shape.p.slice(1) })
        expect(read.irregularity).toBeUndefined()
        expect(read.pgft).toEqual(shape)
        expect(cablesByName(read, namesOf(read))).toEqual(cables)
        expect({
          ...read,
          nodeNames: undefined,
          levels: read.levels.map((level) => ({ ...level, names: undefined })),
        }).toEqual(pgft(shape, 'x'))
      }),
      { numRuns: 300 },
    )
  })
})

test('the option `cables` of slurm:FILE sets the parallel cables of a topology.conf, one number for each level', () => {
  const text = 'SwitchName=a Nodes=n[1-4]\nSwitchName=b Nodes=n[5-8]\nSwitchName=top Switches=a,b'
  const read = (spec: string) => parseTopology(spec, () => text)
  expect(read('slurm:dir/t.conf')).toMatchObject({ name: 'slurm:t.conf', pgft: { m: [4, 2], w: [1, 1], p: [1, 1] } })
  const cabled = read('slurm:dir/t.conf,cables=4')
  expect(cabled.name).toBe('slurm:t.conf,cables=4')
  expect(formatPgft(cabled.pgft!)).toBe('pgft:2;4,2;1,1;1,4')
  expect(cabled.levels[0].names).toEqual(['a', 'b'])
  expect(() => read('slurm:t.conf,cables=4,2')).toThrow(
    'slurm:t.conf,cables=4,2: cables: expected 1 numbers, one a level below the top, found 2',
  )
  expect(() => read('slurm:t.conf,cables=none')).toThrow('cables1: expected a positive integer, found "none"')
  expect(() => read('slurm:t.conf,cables=4000000')).toThrow('cables: too large: at most 4194304 links')
})

test('the topology.conf of IIT Kanpur HPC2010 is a regular tree of two levels', (context) => {
  const text = traceFile(context, 'topology/iitk-hpc2010-topology.conf')
  expect(formatPgft(parseTopology('slurm:iitk.conf', () => text).pgft!)).toBe('pgft:2;16,32;1,16;1,1')
})
