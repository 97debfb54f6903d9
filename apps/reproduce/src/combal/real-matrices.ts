import { Effect } from 'effect'
import type { Experiment } from '../experiment/reproduction.ts'
import { loadAll, type RunResult, Runs } from '../experiment/services.ts'
import { compare } from '../report/comparison.ts'
import { mean, percent } from '../report/numbers.ts'
import { reportOf } from '../report/report.ts'
import * as paper from './paper.ts'
import { hoursOf, type LoadedLog, pathOf, specOf, type Way } from './runs.ts'

/** Measured matrices of programs with 64 ranks, by file. */
const programs: ReadonlyArray<readonly [name: string, file: string]> = [
  ['AMG', 'amg-64ranks-bytes.csv'],
  ['BT-MZ', 'btmz-64ranks-bytes.csv'],
  ['CG', 'cg-64ranks-bytes.csv'],
  ['LULESH', 'lulesh-64ranks-bytes.csv'],
  ['HPCG', 'hpcg-64ranks.mat'],
]
/** Numbers of ranks of HPCG's other measured matrices. */
const others = [16, 32, 128, 256]
const ways: ReadonlyArray<Way> = ['Default', ...paper.algorithms]
const reading = { cost: 'effective', old: 'default run' } as const

/** Runs a log with a program's matrix for the jobs of 64 nodes, and HPCG's matrices for the jobs of other sizes. */
const runsWith = Effect.fnUntraced(function* (log: LoadedLog, matrices: ReadonlyArray<string>) {
  const { run } = yield* Runs
  const specs = ways.map((way) => specOf(log, way, matrices, way === 'Default' ? undefined : reading))
  const found = (yield* run(specs)).filter((result: RunResult | undefined) => result !== undefined)
  return found.length < ways.length ? undefined : found.map(hoursOf)
})

/** Experiment: hours under measured matrices. Only jobs whose size has a matrix run. */
export const realMatrices: Experiment = Effect.gen(function* () {
  const logs = yield* loadAll(paper.logs)
  const ofOthers = logs.length === 0 ? [] : yield* Effect.forEach(others, (ranks) => pathOf(`hpcg-${ranks}ranks.mat`))
  const paths = logs.length === 0 ? [] : yield* Effect.forEach(programs, ([, file]) => pathOf(file))
  const sized = new Set([64, ...others])
  const cells = logs.flatMap((log) => programs.map(([program], at) => ({ log, program, path: paths[at] })))
  const made = yield* Effect.forEach(
    cells,
    Effect.fnUntraced(function* ({ log, program, path }) {
      const matrices = [path, ...ofOthers].filter((each) => each !== undefined)
      if (matrices.length <= others.length) return []
      const jobs = log.jobs.filter(({ size }) => sized.has(size))
      const hours = yield* runsWith({ ...log, jobs }, matrices)
      return hours === undefined ? [] : [{ log: log.name, program, hours }]
    }),
  )
  const found = made.flat()
  const saved = (hours: (typeof found)[number]['hours'], figure: 'execution' | 'wait', at: number): number =>
    1 - hours[at][figure] / hours[0][figure]
  return reportOf(
    (['execution', 'wait'] as const).map((figure) => ({
      title: `Saved of the ${figure} with measured matrices; jobs of 64 nodes have the program's, others HPCG's`,
      heading: ['log', 'program', 'hours, Default', ...paper.algorithms],
      rows: found.map(({ log, program, hours }) => [
        log,
        program,
        hours[0][figure].toFixed(0),
        ...paper.algorithms.map((_, at) => percent(saved(hours, figure, at + 1))),
      ]),
    })),
    paper.hours.flatMap(({ log, figure, values }) => {
      const its = found.filter((each) => each.log === log)
      return paper.algorithms.map((way, at) =>
        compare(
          log,
          `${figure} saved by ${way}, mean of the five programs`,
          'share',
          1 - values[way] / values.Default,
          its.length < programs.length ? undefined : mean(its.map(({ hours }) => saved(hours, figure, at + 1))),
        ),
      )
    }),
  )
})
