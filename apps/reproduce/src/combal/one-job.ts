import { type HopBytes, hopBytes, parseMatrix } from '@cloister/communication'
import { resourcesOf } from '@cloister/eventlog'
import { parseTopology } from '@cloister/topology'
import { Effect } from 'effect'
import type { Experiment } from '../experiment/reproduction.ts'
import { Records, Traces } from '../experiment/services.ts'
import { compare, state } from '../report/comparison.ts'
import { ofBoth } from '../report/numbers.ts'
import { reportOf } from '../report/report.ts'
import * as paper from './paper.ts'
import { pathOf, policies, type Way } from './runs.ts'

const inBlocks = 'blocks of 16: default'
const byFours = "rank mod 4: the slides' Combal"
const alone = 'all on one switch'
const fourSwitches = 'pgft:2;16,4;1,16;1,1'
const oneSwitch = 'pgft:2;64,1;1,1;1,1'

/** Experiment: communication cost of HPCG by the order of its ranks, beside the two costs on the Combal slides. */
export const hpcg: Experiment<Records> = Effect.gen(function* () {
  const file = yield* pathOf(paper.hpcg.file)
  const costs = file === undefined ? undefined : yield* costsWith(file)
  const costOf = (order: string): number | undefined => costs?.find(([name]) => name === order)?.[1].effective
  const [byDefault, everyFourth, combal] = [costOf(inBlocks), costOf(byFours), costOf('Combal')]
  const together = costs?.find(([name]) => name === alone)?.[1].plain
  const plain = costs?.find(([name]) => name === inBlocks)?.[1].plain
  const table = {
    title: 'What HPCG of 64 ranks costs on four switches',
    heading: ['order of ranks', 'effective', 'plain'],
    rows: (costs ?? []).map(([name, cost]) => [name, cost.effective.toExponential(3), cost.plain.toExponential(4)]),
  }
  return reportOf(
    [table],
    [
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
        ofBoth(everyFourth, byDefault, (one, other) => one < other),
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
        together && paper.hpcg.combal / together,
      ),
    ],
  )
})

/**
 * Returns the costs of a job that has the whole machine, by the order of its ranks in the run under each policy. No
 * policy has the order of the slides, so the order of the default is changed into the order of the slides.
 */
const costsWith = Effect.fnUntraced(function* (file: string) {
  const { readText, write } = yield* Traces
  const { watch } = yield* Records
  const trace = yield* write('hpcg.txt', 'Job_name Submit Runtime Nodes Comment Perc\n1 0 3600 64 1 50\n')
  const ranksOf = Effect.fnUntraced(function* (way: Way, topology: string) {
    let ranks: ReadonlyArray<number> = []
    const run = { trace, topology, ...policies[way], communication: 'file:all-to-all', matrices: file }
    yield* watch(run, (record) => {
      if (record.type === 'allocate') ranks = record.ranks ?? Array.from(resourcesOf(record).nodes)
    })
    return ranks
  })
  const byPolicy = [
    [inBlocks, fourSwitches, yield* ranksOf('Default', fourSwitches)],
    ['TopoMatch', fourSwitches, yield* ranksOf('TopoMatch', fourSwitches)],
    ['Combal', fourSwitches, yield* ranksOf('Combal', fourSwitches)],
    [alone, oneSwitch, yield* ranksOf('Default', oneSwitch)],
  ] as const
  const [[, , blocks], ...others] = byPolicy
  const fours = blocks.map((_, rank) => blocks[(rank % 4) * 16 + Math.floor(rank / 4)])
  const text = yield* readText(paper.hpcg.file)
  // A plan of the runs has no records.
  if (text === undefined || blocks.length === 0) return undefined
  const matrix = parseMatrix(text)
  return [byPolicy[0], [byFours, fourSwitches, fours] as const, ...others].map(
    ([name, topology, ranks]): readonly [string, HopBytes] => [
      name,
      hopBytes(parseTopology(topology), () => 0, ranks, matrix),
    ],
  )
})
