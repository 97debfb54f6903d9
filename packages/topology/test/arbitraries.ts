import fc from 'fast-check'
import { marksOf, type PartMarks } from '../src/absent-parts.ts'
import { pgft, type PgftShape, type Topology } from '../src/index.ts'

const small = fc.integer({ min: 1, max: 4 })

/** Random shapes of regular trees with one to four levels, small enough to enumerate all nodes. */
export const shapes: fc.Arbitrary<PgftShape> = fc.integer({ min: 1, max: 4 }).chain((height) => {
  const upper = fc.array(small, { minLength: height - 1, maxLength: height - 1 })
  return fc
    .tuple(fc.array(small, { minLength: height, maxLength: height }), upper, upper)
    .map(([m, w, p]) => ({ m, w: [1, ...w], p: [1, ...p] }))
})

/** Switch of a random graph, as a line of a topology.conf. Children are indices of earlier lines. */
export interface Line {
  readonly name: string
  readonly nodes: ReadonlyArray<string>
  readonly children: ReadonlyArray<number>
}

/**
 * Random lines of a topology.conf, children before parents. Leaves have different sizes and depths, and switches may
 * have several parents. A file may have the lines in any order.
 */
export const slurmLines: fc.Arbitrary<Line[]> = fc
  .tuple(
    fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 6 }),
    fc.array(fc.array(fc.nat(), { minLength: 1, maxLength: 3 }), { maxLength: 6 }),
  )
  .map(([leaves, uppers]) => {
    let node = 0
    const lines: Line[] = leaves.map((size, i) => ({
      name: `s${i}`,
      nodes: Array.from({ length: size }, () => `cn${node++}`),
      children: [],
    }))
    for (const picks of uppers) {
      const children = [...new Set(picks.map((pick) => pick % lines.length))]
      lines.push({ name: `s${lines.length}`, nodes: [], children })
    }
    return lines
  })

export function fileOf(lines: ReadonlyArray<Line>, all: ReadonlyArray<Line>): string {
  return lines
    .map(({ name, nodes, children }) =>
      nodes.length > 0
        ? `SwitchName=${name} Nodes=${nodes.join()}`
        : `SwitchName=${name} Switches=${children.map((child) => all[child].name).join()}`,
    )
    .join('\n')
}

/** Returns every link of a level as [switch, port, parent]. */
export function linksOf(topology: Topology, level: number): Array<[number, number, number]> {
  const { switches, firstPort, parentOfLink } = topology.levels[level]
  return Array.from({ length: switches }, (_, sw) =>
    [...parentOfLink.subarray(firstPort[sw], firstPort[sw + 1])].map((parent, port): [number, number, number] => [
      sw,
      port,
      parent,
    ]),
  ).flat()
}

/** Random texts close to `valid`, with some characters removed, added or replaced. */
export function nearly(valid: string): fc.Arbitrary<string> {
  const edit = fc.record({
    at: fc.nat(valid.length),
    remove: fc.nat(3),
    insert: fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom(...'{}[]=,;-:#\\"\n 09aN'.split(''))),
  })
  return fc
    .array(edit, { minLength: 1, maxLength: 4 })
    .map((edits) =>
      edits.reduce((text, { at, remove, insert }) => text.slice(0, at) + insert + text.slice(at + remove), valid),
    )
}

/**
 * Random regular trees with marks of absent parts: up to 40 % of the nodes, up to 20 % of the cables, and up to one
 * switch of each level, so that each level keeps a switch in most draws.
 */
export const treesWithAbsences: fc.Arbitrary<{ readonly tree: Topology; readonly absent: PartMarks }> = shapes
  .filter(({ m }) => m.reduce((product, each) => product * each, 1) > 1)
  .chain((shape) => {
    const tree = pgft(shape, 'x')
    const marks = (length: number, most: number): fc.Arbitrary<Uint8Array> =>
      fc
        .tuple(
          fc.integer({ min: 0, max: most }),
          fc.array(fc.integer({ min: 1, max: 100 }), { minLength: length, maxLength: length }),
        )
        .map(([share, draws]) => Uint8Array.from(draws, (draw) => (draw <= share ? 1 : 0)))
    const one = (switches: number): fc.Arbitrary<Uint8Array> =>
      fc
        .integer({ min: 0, max: 2 * switches })
        .map((sw) => new Uint8Array(switches).fill(switches > 1 ? 1 : 0, sw, sw + 1))
    return fc
      .tuple(
        marks(tree.nodes, 40),
        fc.tuple(...tree.levels.map(({ switches }) => one(switches))),
        fc.tuple(...tree.levels.map(({ links }) => marks(links, 20))),
      )
      .map(([nodes, switches, links]) => ({ tree, absent: { ...marksOf(tree, 0), nodes, switches, links } }))
  })
