import type { LogRecord } from '@cloister/eventlog'
import type { Effect } from 'effect'
import { type Cell, type GivenCell, canonicalCell, cellKey } from '../cell.ts'
import type { CellResult } from '../cell-result.ts'
import type { Problem } from '../errors/problem.ts'
import type { BarChart } from './bar-chart.ts'
import type { Comparison } from './comparison.ts'
import { type PaperTrace, type Scheme, queue } from './jigsaw-paper.ts'

/** A figure or table of a paper that can be made again. */
export interface Reproduction {
  readonly name: string
  readonly title: string
  /** Where in which paper. */
  readonly source: string
  readonly produce: (context: Context) => Effect.Effect<Report, Problem>
}

/** What there is to work with. */
export interface Context {
  readonly traceDir: string | undefined
  /** Those schemes whose policies are built in. */
  readonly schemes: ReadonlyArray<Scheme>
  /** Where a trace is; undefined, and said, where it is not at hand. */
  readonly locate: (trace: Pick<PaperTrace, 'name' | 'source' | 'arrivals'>) => Effect.Effect<LocatedTrace | undefined>
  readonly run: (planned: ReadonlyArray<Planned>) => Effect.Effect<Outcomes, Problem>
  /** Runs a cell here, and shows every record of its log. */
  readonly watch: (cell: Cell, visit: (record: LogRecord) => void) => Effect.Effect<void, Problem>
  /** Runs a cell in processes of its own, one after the other; seconds a job, without a log. */
  readonly time: (cell: Cell) => Effect.Effect<number, Problem>
}

/** What `--trace` and its options take. */
export type LocatedTrace = Pick<GivenCell, 'trace' | 'filter' | 'arrivals'>

export interface Report {
  readonly tables: ReadonlyArray<{
    readonly title: string
    readonly heading: ReadonlyArray<string>
    readonly rows: ReadonlyArray<ReadonlyArray<string>>
  }>
  readonly comparisons: ReadonlyArray<Comparison>
  readonly charts: ReadonlyArray<{ readonly file: string; readonly chart: BarChart }>
}

/** A run of an experiment under the names that the paper gives to trace, scheme and scenario. */
export interface Planned {
  readonly trace: string
  readonly scheme: string
  readonly scenario: string
  readonly cell: Cell
}

/** @param trace.queue the paper's EASY unless given */
export function plan(
  trace: { readonly name: string; readonly topology: string; readonly located: LocatedTrace; readonly queue?: string },
  scheme: Scheme,
  scenario: { readonly name: string; readonly scenario: string } = { name: 'None', scenario: 'none' },
): Planned {
  const given = {
    ...trace.located,
    ...scheme.cell,
    topology: trace.topology,
    queue: trace.queue ?? queue,
    scenario: scenario.scenario,
  }
  return {
    trace: trace.name,
    scheme: scheme.name,
    scenario: scenario.name,
    cell: canonicalCell(given, (_, error) => {
      throw error
    }),
  }
}

/** Results by the paper's names. */
export class Outcomes {
  readonly #results: ReadonlyMap<string, CellResult>

  constructor(planned: ReadonlyArray<Planned>, results: ReadonlyArray<CellResult>) {
    const byCell = new Map(results.map((result) => [cellKey(result.cell), result]))
    this.#results = new Map(
      planned.flatMap((each) => {
        const result = byCell.get(cellKey(each.cell))
        return result === undefined ? [] : [[nameOf(each.trace, each.scheme, each.scenario), result] as const]
      }),
    )
  }

  get(trace: string, scheme: string, scenario: string = 'None'): CellResult | undefined {
    return this.#results.get(nameOf(trace, scheme, scenario))
  }

  /** A figure of a run relative to that of another; undefined where one of them is not there. */
  ratio(
    of: (result: CellResult) => number | null,
    trace: string,
    scheme: string,
    scenario: string,
    to: string,
  ): number | undefined {
    const [found, base] = [this.get(trace, scheme, scenario), this.get(trace, to)].map((result) =>
      result === undefined ? null : of(result),
    )
    return found === null || base === null || base === 0 ? undefined : found / base
  }
}

function nameOf(trace: string, scheme: string, scenario: string): string {
  return JSON.stringify([trace, scheme, scenario])
}

/** Colours that stay apart for colour-blind readers and in grey (Paul Tol's muted scheme). */
export const colors: Readonly<Record<string, string>> = {
  Baseline: '#999999',
  'LC+S': '#88ccee',
  Jigsaw: '#332288',
  LaaS: '#ddcc77',
  TA: '#cc6677',
  'TA 2017': '#882255',
}

export function series(schemes: ReadonlyArray<Scheme>): BarChart['series'] {
  return schemes.map(({ name }) => ({ name, color: colors[name] }))
}
