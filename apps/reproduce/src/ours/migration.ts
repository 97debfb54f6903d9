import { Effect } from 'effect'
import { named, type Outcomes, plan, type Planned, runOn, steady } from '../experiment/planned-runs.ts'
import { type Experiment, ours } from '../experiment/reproduction.ts'
import type { RunResult } from '../experiment/services.ts'
import * as paper from '../jigsaw/paper.ts'
import { type Curve, finePercent, hours, orDash, threshold } from '../report/numbers.ts'
import { reportOf, type Table } from '../report/report.ts'

/** Moves of the runs of an experiment. */
interface Moves {
  readonly policy: string
  /** Most moves for each start in the runs by cost. */
  readonly limit: 1 | 2
  /** Costs of a move in seconds. */
  readonly costs: ReadonlyArray<number>
  /** Values of the option `migrate` in further runs. */
  readonly others: ReadonlyArray<string>
}

const one = { limit: 1, costs: [0, 60, 300, 1800] } as const
const two = { limit: 2, costs: [0, 300, 1800] } as const

const traces = named(paper.traces, 'Synth-16', 'Synth-22', 'Synth-28', 'Thunder', 'Atlas')

const valueOf = (cost: number, { limit }: Moves): string => `cost=${cost},limit=${limit}`

/** Returns the values of the option `migrate`, in the order of the table. */
function variantsOf(moves: Moves): ReadonlyArray<string> {
  return ['none', ...moves.costs.map((cost) => valueOf(cost, moves)), ...moves.others]
}

function planned(trace: Parameters<typeof plan>[0], moves: Moves): ReadonlyArray<Planned> {
  const { queue, ...discipline } = ours
  return variantsOf(moves).map((migrate) =>
    plan(trace, queue, { name: migrate, spec: { policy: moves.policy, ...discipline, migrate } }),
  )
}

/** Utilization in steady state without the time that moves cost. */
const useful = ({ metrics }: RunResult): number | null => metrics.migration.useful ?? metrics.utilization.steady
const wait = ({ metrics }: RunResult): number | null => metrics.wait.mean

/** Experiment on moves of running jobs: utilization and waits by the cost of a move and by the moves for a start. */
const migrationBy = (moves: Moves): Experiment =>
  Effect.gen(function* () {
    const found = yield* runOn(traces, (trace) => planned(trace, moves))
    const table: Table = {
      title: 'By the cost of a move in seconds, and the most moves for one start',
      heading: ['trace', 'migrate', 'utilization', 'by moves', 'without moves', 'mean wait, h', 'moves per 100 starts'],
      rows: found.names.flatMap((trace) =>
        variantsOf(moves).map((migrate) => [trace, migrate, ...figures(found.outcomes.get(trace, migrate))]),
      ),
    }
    return reportOf([table, breakEven(moves, found.names, found.outcomes)])
  })

const others = ['cost=0,limit=2']
export const migration: Experiment = migrationBy({ policy: 'jigsaw', ...one, others })
export const migrationByTwo: Experiment = migrationBy({ policy: 'jigsaw', ...two, others: [] })
export const migrationUnderMosaic: Experiment = migrationBy({
  policy: 'mosaic',
  ...one,
  others: [...others, 'cost=300,limit=2'],
})

function figures(result: RunResult | undefined): ReadonlyArray<string> {
  if (result === undefined) return ['-', '-', '-', '-', '-']
  const { migration: moved } = result.metrics
  return [
    orDash(steady(result), finePercent),
    orDash(moved.cost, finePercent),
    orDash(useful(result), finePercent),
    orDash(wait(result), hours),
    orDash(moved.moves, (moves) => ((100 * moves) / result.totals.started).toFixed(1)),
  ]
}

/** Returns the costs of a move from which on a run with moves is no better than the run without. */
function breakEven(moves: Moves, names: ReadonlyArray<string>, outcomes: Outcomes): Table {
  const { costs, limit } = moves
  const costOf = (trace: string, figure: (result: RunResult) => number | null, sign: 1 | -1): string => {
    const without = outcomes.value(figure, trace, 'none')
    const curve: Curve = costs.flatMap((cost) => {
      const y = outcomes.value(figure, trace, valueOf(cost, moves))
      return y === undefined ? [] : [{ x: cost, y: sign * y }]
    })
    if (without === undefined || curve.length === 0) return '-'
    const cost = threshold(curve, sign * without)
    return cost === undefined ? `over ${costs.at(-1)}` : cost.toFixed(0)
  }
  return {
    title: `Cost of a move in seconds at which ${limit === 1 ? 'one move for each start stops' : 'two moves for each start stop'} paying, by straight lines between the runs`,
    heading: ['trace', 'by the utilization without moves', 'by the mean wait'],
    rows: names.map((trace) => [trace, costOf(trace, useful, 1), costOf(trace, wait, -1)]),
  }
}
