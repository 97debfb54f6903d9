import { bindPolicy, ClusterState, type Outcome } from '@cloister/placement'
import { ask, policySuite } from '@cloister/placement/testing'
import { parseSlurmTopology, parseTopology, seededDraws, type Topology } from '@cloister/topology'
import { expect, test } from 'vitest'
import { type Config, slurmBlock } from '../src/index.ts'

type Options = Partial<Config>
const place = (topology: Topology, config: Options, busy: ReadonlyArray<number>, nodes: number): Outcome => {
  const { placer } = bindPolicy(slurmBlock, topology, config)
  const state = new ClusterState(topology)
  state.fail({ nodes: busy.toSorted((a, b) => a - b), links: [] })
  return ask(placer, state, nodes)
}
const placed = (...question: Parameters<typeof place>): Array<number> | undefined => {
  const outcome = place(...question)
  return outcome.ok ? Array.from(outcome.nodes) : undefined
}
const range = (from: number, to: number): Array<number> => Array.from({ length: to - from }, (_, at) => from + at)

// Cases of testsuite/python/tests/test_150_1.py and test_150_2.py of Slurm 26.11.0rc1 (284c3b9): jobs that start and
// jobs that do not start.
const twoBlocks = parseSlurmTopology(
  'BlockName=b1 Nodes=node[1-4]\nBlockName=b2 Nodes=node[5-8]\nBlockSizes=4,8\n',
  'topology.conf',
)
const sizes4And8 = { blockSizes: [4, 8] }

test("slurm-block, Slurm's test_const1: beside jobs of 2 and 3 nodes, another job of 3 nodes waits for a block with 3 free nodes", () => {
  const first = placed(twoBlocks, sizes4And8, [], 2)!
  const second = placed(twoBlocks, sizes4And8, first, 3)!
  expect([first, second]).toEqual([
    [4, 5],
    [0, 1, 2],
  ])
  expect(place(twoBlocks, sizes4And8, [...first, ...second], 3)).toEqual({
    ok: false,
    code: 'no-placement',
    constraint: 'free nodes in one block of 4 nodes',
  })
})

test("slurm-block, Slurm's test_const2: a job of 5 nodes uses both blocks beside a job of 3 nodes", () => {
  const first = placed(twoBlocks, sizes4And8, [], 3)!
  expect(first).toEqual([4, 5, 6])
  expect(placed(twoBlocks, sizes4And8, first, 5)).toEqual([0, 1, 2, 3, 7])
})

test("slurm-block, Slurm's test_segment1: with segments of 2 nodes, a job of 4 nodes starts, and a job of 5 nodes never starts", () => {
  expect(placed(twoBlocks, { ...sizes4And8, segment: 2 }, [], 4)).toEqual([4, 5, 6, 7])
  expect(place(twoBlocks, { ...sizes4And8, segment: 2 }, [], 5)).toEqual({
    ok: false,
    code: 'never',
    constraint: 'a multiple of the segments of 2 nodes',
  })
})

test("slurm-block, Slurm's test_segment_nodelist: two segments of 3 nodes fit on 1-3,5-7, but not on 1-6", () => {
  const segments = { ...sizes4And8, segment: 3 }
  expect(placed(twoBlocks, segments, [3, 7], 6)).toEqual([0, 1, 2, 4, 5, 6])
  expect(place(twoBlocks, segments, [6, 7], 6)).toMatchObject({ ok: false, code: 'no-placement' })
  expect(placed(twoBlocks, { ...sizes4And8, segment: 2 }, [2, 3, 6, 7], 4)).toEqual([0, 1, 4, 5])
})

test('slurm-block, example of topology.conf.5: base blocks of 32 nodes with a planned size of 30, in an aggregate of 120', () => {
  const file = [1, 2, 3, 4].map((block) => `BlockName=block${block} Nodes=node[${block * 32 - 31}-${block * 32}]`)
  const topology = parseSlurmTopology(`${file.join('\n')}\nBlockSizes=30,120\n`, 'topology.conf')
  const config = { blockSizes: [30, 120] }
  expect(placed(topology, config, [], 30)).toEqual(range(96, 126))
  // A job of 31 nodes needs two base blocks of the planned size. The next larger block is the aggregate of four base
  // blocks, of which the job uses as few as possible.
  expect(placed(topology, config, [], 31)).toEqual(range(96, 127))
  expect(placed(topology, config, [...range(0, 22), 40, 70, 100], 61)).toEqual([
    ...range(64, 70),
    ...range(71, 95),
    ...range(96, 100),
    ...range(101, 128),
  ])
  expect(placed(topology, config, [], 128)).toEqual(range(0, 128))
})

test('slurm-block lets segments share a base block unless spreadSegments is set, and puts them into one aggregate with consolidateSegments', () => {
  // Machine of eight base blocks of 4 nodes, in aggregates of 8 and 16 nodes. Each list has the number of free nodes of
  // each base block.
  const topology = parseTopology('pgft:2;4,8;1,4;1,1')
  const config = { blockSizes: [4, 8, 16], segment: 2 }
  const where = (free: ReadonlyArray<number>, options: Options, nodes: number): Array<number> | undefined => {
    const busy = free.flatMap((count, leaf) => range(4 * leaf + count, 4 * leaf + 4))
    const ids = placed(topology, { ...config, ...options }, busy, nodes)
    return ids && free.map((_, leaf) => ids.filter((node) => node >> 2 === leaf).length)
  }
  expect(where([2, 2, 1, 1, 1, 1, 2, 4], {}, 6)).toEqual([2, 2, 0, 0, 0, 0, 2, 0])
  expect(where([2, 2, 1, 1, 1, 1, 2, 4], { consolidateSegments: true }, 6)).toEqual([0, 0, 0, 0, 0, 0, 2, 4])
  expect(where([2, 2, 2, 2, 1, 1, 0, 4], { spreadSegments: true }, 10)).toEqual([2, 2, 2, 2, 0, 0, 0, 2])
  expect(where([2, 2, 2, 2, 1, 1, 0, 4], {}, 12)).toEqual([2, 2, 2, 2, 0, 0, 0, 4])
  expect(where([2, 2, 2, 2, 1, 1, 0, 4], { spreadSegments: true }, 12)).toBeUndefined()
  // Spread segments need an aggregate with a base block for each segment: 16 nodes for a job of 8 nodes in segments of
  // 2.
  const both = { spreadSegments: true, consolidateSegments: true }
  expect(where([2, 2, 2, 2, 1, 1, 0, 4], both, 8)).toEqual([2, 2, 2, 2, 0, 0, 0, 0])
  expect(where([2, 2, 2, 2, 1, 1, 0, 4], { consolidateSegments: true }, 8)).toBeUndefined()
  // The first aggregate has enough free nodes, but cannot hold three segments, so the policy takes the next aggregate.
  expect(where([3, 3, 4, 4, 0, 0, 0, 0], { consolidateSegments: true }, 6)).toEqual([0, 0, 2, 4, 0, 0, 0, 0])
})

/**
 * Returns true if a job without segments fits: all nodes in one block, on no more lower-level blocks than the job
 * needs.
 */
function hasRoom(free: ReadonlyArray<number>, sizes: ReadonlyArray<number>, nodes: number): boolean {
  const [base] = sizes
  const block = sizes.find((size) => size >= nodes) ?? free.length * base
  const lower =
    nodes <= base ? base : sizes.findLast((size) => size < 2 ** Math.ceil(Math.log2(Math.ceil(nodes / base))) * base)!
  const total = (counts: ReadonlyArray<number>): number => counts.reduce((sum, count) => sum + count, 0)
  const cut = (counts: ReadonlyArray<number>, size: number): Array<ReadonlyArray<number>> =>
    Array.from({ length: Math.ceil(counts.length / size) }, (_, at) => counts.slice(at * size, (at + 1) * size))
  return cut(free, block / base).some((blocks) => {
    const lowers = cut(blocks, lower / base).map(total)
    return total(lowers.sort((a, b) => b - a).slice(0, Math.ceil(nodes / lower))) >= nodes
  })
}

test.each([[[2, 4, 8]], [[2, 16]], [[2, 4, 32]], [[2, 8, 16]]])(
  'slurm-block with the block sizes %j finds a placement if and only if its rules allow one',
  (blockSizes) => {
    const topology = parseTopology('pgft:2;2,11;1,2;1,1')
    const draw = seededDraws(blockSizes.length + blockSizes[1])
    for (let at = 0; at < 400; at++) {
      const rate = 1 + draw(5)
      const busy = range(0, 22).filter(() => draw(6) < rate)
      const free = range(0, 11).map((leaf) => [2 * leaf, 2 * leaf + 1].filter((node) => !busy.includes(node)).length)
      const nodes = 1 + draw(22)
      const outcome = place(topology, { blockSizes }, busy, nodes)
      const where = { busy, nodes }
      expect({ ...where, ok: outcome.ok }).toEqual({ ...where, ok: hasRoom(free, blockSizes, nodes) })
      if (!outcome.ok) continue
      // The nodes that slurm-block chose must meet the rules, too.
      const chosen = new Set(Array.from(outcome.nodes))
      const given = range(0, 11).map((leaf) => [2 * leaf, 2 * leaf + 1].filter((node) => chosen.has(node)).length)
      expect({ ...where, ok: hasRoom(given, blockSizes, nodes) }).toEqual({ ...where, ok: true })
    }
  },
)

/** Machine of leaves of four nodes, with 12 blocks of two nodes, of one leaf or of two leaves. */
function pairs(seed: number): Topology {
  const tree = parseTopology('pgft:2;4,6;1,4;1,1')
  const draw = seededDraws(seed)
  const left = range(0, 24)
  const blocks = range(0, 12).map((number) => {
    const nodes = [left.shift()!, ...left.splice(draw(left.length), 1)]
    return { name: `nvl${number}`, nodes: Int32Array.from(nodes).sort() }
  })
  return { ...tree, blocks }
}

policySuite(slurmBlock, {
  configs: [
    {},
    { blockSizes: [6, 24], segment: 3, spreadSegments: true, consolidateSegments: true },
    { blockSizes: [2, 16], segment: 5, indivisible: 'unsegmented' },
  ],
  histories: 1,
  symmetric: false,
  topologies: [pairs(1)],
})

test.each([[undefined], [[2, 4, 8]], [[4, 8]]])(
  'slurm-block with the block sizes %j finds a placement on the blocks of the machine if and only if its rules allow one',
  (blockSizes) => {
    const draw = seededDraws(7)
    const sizes = blockSizes ?? [2, 4, 8, 16, 32]
    for (let at = 0; at < 400; at++) {
      const topology = pairs(at % 20)
      const rate = 1 + draw(5)
      const busy = range(0, 24).filter(() => draw(6) < rate)
      const nodes = 1 + draw(24)
      const outcome = place(topology, blockSizes === undefined ? {} : { blockSizes }, busy, nodes)
      // Base blocks of four nodes are two blocks of the machine.
      const perBase = sizes[0] / 2
      const count = (has: (node: number) => boolean): ReadonlyArray<number> =>
        range(0, 12 / perBase).map(
          (base) =>
            topology
              .blocks!.slice(base * perBase, (base + 1) * perBase)
              .flatMap((block) => [...block.nodes])
              .filter(has).length,
        )
      const where = { at, busy, nodes }
      const free = count((node) => !busy.includes(node))
      expect({ ...where, ok: outcome.ok }).toEqual({ ...where, ok: hasRoom(free, sizes, nodes) })
      if (!outcome.ok) continue
      const chosen = Array.from(outcome.nodes)
      const given = count((node) => chosen.includes(node))
      expect({ ...where, ok: hasRoom(given, sizes, nodes) }).toEqual({ ...where, ok: true })
    }
  },
)

test('slurm-block keeps a job of the size of an NVLink domain in one domain, if domains are parts of leaves', () => {
  const topology = parseTopology('topograph:x', () => {
    const instances = range(0, 8).map((node) => ({
      id: `n${node}`,
      network_layers: [`s${node >> 2}`, 'top'],
      attributes: { nvlink: `d${node >> 1}` },
    }))
    return JSON.stringify({ instances })
  })
  expect(placed(topology, {}, [0, 4], 2)).toEqual([6, 7])
  expect(placed(topology, {}, [0, 4], 1)).toEqual([5])
  expect(placed({ ...topology, blocks: undefined } as never, {}, [0, 4], 2)).toEqual([5, 6])
})

test('slurm-block refuses block sizes that are no power of two times the first size', () => {
  for (const blockSizes of [[18, 54], [36, 18], [18, 27], [], [0]])
    expect(() => bindPolicy(slurmBlock, twoBlocks, { blockSizes })).toThrow('blockSizes')
})
