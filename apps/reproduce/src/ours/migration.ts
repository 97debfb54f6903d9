import { Effect } from 'effect'
import { named, type Outcomes, plan, type Planned, runOn, steady } from '../experiment/planned-runs.ts'
import { type Experiment, ours } from '../experiment/reproduction.ts'
import type { RunResult } from '../experiment/services.ts'
import * as paper from '../jigsaw/paper.ts'
import { type Curve, finePercent, hours, orDash, threshold } from '../report/numbers.ts'
import { reportOf, type Table } from '../report/report.ts'

/** Costs of a move in seconds, with one move for each start. */
const costs = [0, 60, 300, 1800]
/** Moves of the runs under each policy, as values of the option `migrate`. */
const underJigsaw = ['none', ...costs.map(single), 'cost=0,limit=2']
const underMosaic = [...underJigsaw, 'cost=300,limit=2']

const traces = named(paper.traces, 'Synth-16', 'Synth-22', 'Synth-28', 'Thunder', 'Atlas')

function single(cost: number): string {
  return `cost=${cost},limit=1`
}

function planned(
  trace: Parameters<typeof plan>[0],
  policy: string,
  variants: ReadonlyArray<string>,
): ReadonlyArray<Planned> {
  const { queue, ...discipline } = ours
  return variants.map((migrate) => plan(trace, queue, { name: migrate, spec: { policy, ...discipline, migrate } }))
}

/** Utilization in steady state without the time that moves cost. */
const useful = ({ metrics }: RunResult): number | null => metrics.migration.useful ?? metrics.utilization.steady
const wait = ({ metrics }: RunResult): number | null => metrics.wait.mean

/** Experiment on moves of running jobs: utilization and waits by the cost of a move and by the moves for a start. */
const migrationUnder = (policy: string, variants: ReadonlyArray<string>): Experiment =>
  Effect.gen(function* () {
    const found = yield* runOn(traces, (trace) => planned(trace, policy, variants))
    const table: Table = {
      title: 'By the cost of a move in seconds, and the most moves for one start',
      heading: ['trace', 'migrate', 'utilization', 'by moves', 'without moves', 'mean wait, h', 'moves per 100 starts'],
      rows: found.names.flatMap((trace) =>
        variants.map((migrate) => [trace, migrate, ...figures(found.outcomes.get(trace, migrate))]),
      ),
    }
    return reportOf([table, breakEven(found.names, found.outcomes)])
  })

export const migration: Experiment = migrationUnder('jigsaw', underJigsaw)
export const migrationUnderMosaic: Experiment = migrationUnder('mosaic', underMosaic)

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

/** Returns the costs of one move for each start from which on a run with moves is no better than the run without. */
function breakEven(names: ReadonlyArray<string>, outcomes: Outcomes): Table {
  const costOf = (trace: string, figure: (result: RunResult) => number | null, sign: 1 | -1): string => {
    const without = outcomes.value(figure, trace, 'none')
    const curve: Curve = costs.flatMap((cost) => {
      const y = outcomes.value(figure, trace, single(cost))
      return y === undefined ? [] : [{ x: cost, y: sign * y }]
    })
    if (without === undefined || curve.length === 0) return '-'
    const cost = threshold(curve, sign * without)
    return cost === undefined ? `over ${costs.at(-1)}` : cost.toFixed(0)
  }
  return {
    title:
      'Cost of a move in seconds at which one move for each start stops paying, by straight lines between the runs',
    heading: ['trace', 'by the utilization without moves', 'by the mean wait'],
    rows: names.map((trace) => [trace, costOf(trace, useful, 1), costOf(trace, wait, -1)]),
  }
}
