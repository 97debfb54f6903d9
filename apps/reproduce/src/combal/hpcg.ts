import { combalOrder, hopBytes, parseMatrix, topomatch } from '@cloister/communication'
import { parseTopology } from '@cloister/topology'
import { Effect } from 'effect'
import type { Experiment } from '../experiment/experiment.ts'
import { Traces } from '../experiment/traces.ts'
import { compare, state } from '../report/comparison.ts'
import * as paper from './paper.ts'

/** Experiment: communication cost of HPCG by the order of its ranks, beside the two costs on the Combal slides. */
export const hpcg: Experiment = Effect.gen(function* () {
  const text = yield* (yield* Traces).readText(paper.hpcg.file)
  const costs = text === undefined ? undefined : costsOf(parseMatrix(text))
  const costOf = (order: string): number | undefined => costs?.find(([name]) => name === order)?.[1].effective
  const [byDefault, everyFourth, combal] = [costOf(inBlocks), costOf(byFours), costOf('Combal')]
  const oneSwitch = costs?.find(([name]) => name === alone)?.[1].plain
  const plain = costs?.find(([name]) => name === inBlocks)?.[1].plain
  return {
    tables: [
      {
        title: 'What HPCG of 64 ranks costs on four switches',
        heading: ['order of ranks', 'effective', 'plain'],
        rows: (costs ?? []).map(([name, cost]) => [name, cost.effective.toExponential(3), cost.plain.toExponential(4)]),
      },
    ],
    comparisons: [
      compare(
        'HPCG',
        'saved by Combal',
        'share',
        1 - paper.hpcg.combal / paper.hpcg.byDefault,
        byDefault && combal && 1 - combal / byDefault,
      ),
      state(
        'HPCG',
        'the order that the slides call Combal costs less than blocks',
        byDefault === undefined || everyFourth === undefined ? undefined : everyFourth < byDefault,
      ),
      compare(
        'HPCG',
        "the slides' default cost, over plain hop-bytes in blocks",
        'ratio',
        1,
        plain && paper.hpcg.byDefault / plain,
      ),
      compare(
        'HPCG',
        "the slides' Combal cost, over plain hop-bytes on one switch",
        'ratio',
        1,
        oneSwitch && paper.hpcg.combal / oneSwitch,
      ),
    ],
    charts: [],
  }
})

const inBlocks = 'blocks of 16: default'
const byFours = "rank mod 4: the slides' Combal"
const alone = 'all on one switch'

function costsOf(matrix: ReadonlyArray<Float64Array>) {
  const topology = parseTopology('pgft:2;16,4;1,16;1,1')
  const single = parseTopology('pgft:2;64,1;1,1;1,1')
  const nodes = Array.from(matrix.keys())
  const orders: ReadonlyArray<readonly [string, ArrayLike<number>]> = [
    [inBlocks, nodes],
    [byFours, nodes.map((rank) => (rank % 4) * 16 + Math.floor(rank / 4))],
    ['TopoMatch', topomatch.map(topology, nodes, matrix)],
    ['Combal', combalOrder.map(topology, nodes, matrix)],
  ]
  return [
    ...orders.map(([name, ranks]) => [name, hopBytes(topology, () => 0, ranks, matrix)] as const),
    [alone, hopBytes(single, () => 0, nodes, matrix)] as const,
  ]
}
