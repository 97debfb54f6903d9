import { Effect } from 'effect'
import type { CellResult } from '../cell-result.ts'
import type { BarChart } from './bar-chart.ts'
import { type Comparison, compare, state } from './comparison.ts'
import * as paper from './pascual-paper.ts'
import { type Context, type Outcomes, plan, type Report, type Reproduction } from './reproduction.ts'

const colors: Readonly<Record<string, string>> = { contiguous: '#332288', relaxed: '#88ccee', 'first-fit': '#999999' }
const minutes = { wait: ({ metrics }: CellResult) => inMinutes(metrics.wait.mean), total: ({ metrics }: CellResult) => inMinutes(metrics.turnaround.mean) }
type Of = keyof typeof minutes

export const fig2: Reproduction = {
  name: 'pascual-fig2',
  title: 'waiting times under contiguous allocation without speed-up, relative to non-contiguous allocation',
  source: 'Pascual and Miguel-Alonso, Figure 2, section IV',
  produce: Effect.fnUntraced(function* (context) {
    const runs = yield* runAll(context, paper.machines, paper.disciplines, ['contiguous', 'first-fit'], paper.speedups.slice(0, 1))
    const ratio = (machine: string, discipline: paper.Discipline): number | undefined => runs.ratio('wait', machine, discipline, 'contiguous', '0')
    const rows = paper.machines.map(({ name }) => [name, ...paper.disciplines.map((discipline) => shown(ratio(name, discipline.name)))])
    return {
      tables: [{ title: 'Waiting time, non-contiguous = 1', heading: ['log', ...paper.disciplines.map(({ name }) => name)], rows }],
      comparisons: paper.machines.flatMap(({ name }) => paper.disciplines.map((discipline) => compare('IV', `waiting time without speed-up, ${name}, ${discipline.name}`, 'ratio', paper.waitWithoutSpeedup, ratio(name, discipline.name)))),
      charts: [],
    }
  }),
}

export const fig3: Reproduction = overSpeedups('pascual-fig3', 'total times of HPC2N over the speed-up', 'Figure 3', 'total', ['HPC2N'], paper.disciplines)
export const fig4: Reproduction = overSpeedups('pascual-fig4', 'waiting times of HPC2N over the speed-up', 'Figure 4', 'wait', ['HPC2N'], paper.disciplines)
export const fig5: Reproduction = overSpeedups('pascual-fig5', 'total times of SDSC and LLNL over the speed-up', 'Figure 5', 'total', ['SDSC', 'LLNL'], [paper.disciplines[1]])

function overSpeedups(name: string, title: string, figure: string, of: Of, logs: ReadonlyArray<string>, disciplines: ReadonlyArray<(typeof paper.disciplines)[number]>): Reproduction {
  return {
    name, title, source: `Pascual and Miguel-Alonso, ${figure}, section IV; relaxed: section V`,
    produce: Effect.fnUntraced(function* (context) {
      const machines = paper.machines.filter((machine) => logs.includes(machine.name))
      const runs = yield* runAll(context, machines, disciplines, ['contiguous', 'relaxed', 'first-fit'], paper.speedups)
      const present = machines.filter((machine) => runs.has(machine.name))
      return {
        tables: present.flatMap((machine) => disciplines.map((discipline) => tableOf(runs, of, machine.name, discipline.name))),
        comparisons: of === 'total' ? [...machines.flatMap((machine) => disciplines.map((discipline) => thresholdOf(runs, machine.name, discipline.name))), ...claims(runs, logs)] : waitClaims(runs),
        charts: [{ file: `${name}.svg`, chart: chartOf(runs, of, present.map((machine) => machine.name), disciplines) }],
      } satisfies Report
    }),
  }
}

/** The runs of a log and discipline, by allocation and speed-up. */
class Runs {
  readonly #outcomes: Outcomes
  constructor(outcomes: Outcomes) { this.#outcomes = outcomes }

  has(machine: string): boolean { return paper.disciplines.some(({ name }) => this.minutes('wait', machine, name, 'first-fit', '0') !== undefined) }

  /** First fit knows no speed-up: its line is flat. */
  minutes(of: Of, machine: string, discipline: paper.Discipline, search: string, speedup: string): number | undefined {
    const result = this.#outcomes.get(key(machine, discipline), search, search === 'first-fit' ? '0' : speedup)
    return result === undefined ? undefined : minutes[of](result) ?? undefined
  }

  /** Relative to non-contiguous allocation. */
  ratio(of: Of, machine: string, discipline: paper.Discipline, search: string, speedup: string): number | undefined {
    const [found, base] = [this.minutes(of, machine, discipline, search, speedup), this.minutes(of, machine, discipline, 'first-fit', '0')]
    return found === undefined || base === undefined || base === 0 ? undefined : found / base
  }

  /** The first of the speed-ups tried from which the total time is less than that of non-contiguous allocation. */
  threshold(machine: string, discipline: paper.Discipline, search: string): number | undefined {
    const found = paper.speedups.find(({ name }) => (this.ratio('total', machine, discipline, search, name) ?? Infinity) < 1)
    return found === undefined ? undefined : Number(found.name)
  }
}

const runAll = Effect.fnUntraced(function* (context: Context, machines: ReadonlyArray<paper.Machine>, disciplines: ReadonlyArray<(typeof paper.disciplines)[number]>, searches: ReadonlyArray<'contiguous' | 'relaxed' | 'first-fit'>, speedups: typeof paper.speedups) {
  const planned = yield* Effect.forEach(machines, Effect.fnUntraced(function* (machine) {
    const located = yield* context.locate(machine)
    if (located === undefined) return []
    return disciplines.flatMap((discipline) => searches.flatMap((search) => (search === 'first-fit' ? paper.speedups.slice(0, 1) : speedups).map((speedup) =>
      plan({ name: key(machine.name, discipline.name), topology: machine.topology, located, queue: discipline.queue }, paper.schemeOf(search, machine), speedup))))
  }))
  return new Runs(yield* context.run(planned.flat()))
})

function key(machine: string, discipline: paper.Discipline): string { return `${machine}, ${discipline}` }

function tableOf(runs: Runs, of: Of, machine: string, discipline: paper.Discipline): Report['tables'][number] {
  return {
    title: `${machine}, ${discipline}: mean ${of === 'wait' ? 'waiting' : 'total'} time in minutes`,
    heading: ['speed-up', 'non-contiguous', 'contiguous', 'relaxed'],
    rows: paper.speedups.map(({ name }) => [name, ...['first-fit', 'contiguous', 'relaxed'].map((search) => shown(runs.minutes(of, machine, discipline, search, name), 1))]),
  }
}

function thresholdOf(runs: Runs, machine: string, discipline: paper.Discipline): Comparison {
  return compare('IV', `speed-up from which contiguous allocation wins, ${machine}, ${discipline}`, 'ratio', paper.thresholds[machine], runs.threshold(machine, discipline, 'contiguous'))
}

function claims(runs: Runs, logs: ReadonlyArray<string>): ReadonlyArray<Comparison> {
  const [both, least] = [paper.disciplines.map(({ name }) => runs.threshold('HPC2N', name, 'contiguous')), logs.map((log) => runs.ratio('total', log, 'backfilling', 'contiguous', '0'))]
  const faster = paper.speedups.map(({ name }) => [runs.minutes('total', 'HPC2N', 'FCFS', 'contiguous', name), runs.minutes('total', 'HPC2N', 'backfilling', 'contiguous', name)] as const)
  return [
    ...(logs.includes('HPC2N') ? [
      state('IV', 'the thresholds of FCFS and backfilling are about the same (within 0.05)', both[0] === undefined || both[1] === undefined ? undefined : Math.abs(both[0] - both[1]) <= 0.0501),
      state('IV', 'with backfilling contiguous total times are shorter at every speed-up', faster.some((pair) => pair.includes(undefined)) ? undefined : faster.every(([fcfs, easy]) => easy! < fcfs!)),
    ] : []),
    ...logs.map((log, at) => state('IV', `without speed-up contiguous allocation loses, ${log}`, least[at] === undefined ? undefined : least[at] > 1)),
    ...logs.map((log) => {
      const [strict, relaxed] = [runs.threshold(log, 'backfilling', 'contiguous'), runs.threshold(log, 'backfilling', 'relaxed')]
      return state('V', `relaxed, the threshold is no higher, ${log}`, strict === undefined || relaxed === undefined ? undefined : relaxed <= strict)
    }),
  ]
}

function waitClaims(runs: Runs): ReadonlyArray<Comparison> {
  return paper.disciplines.map(({ name }) => {
    const waits = paper.speedups.map((speedup) => runs.minutes('wait', 'HPC2N', name, 'contiguous', speedup.name))
    return state('IV', `waiting times fall with the speed-up, ${name}`, waits.includes(undefined) ? undefined : waits.every((wait, at) => at === 0 || wait! < waits[at - 1]!))
  })
}

function chartOf(runs: Runs, of: Of, machines: ReadonlyArray<string>, disciplines: ReadonlyArray<(typeof paper.disciplines)[number]>): BarChart {
  const searches = ['contiguous', 'relaxed']
  return {
    series: searches.map((search) => ({ name: search, color: colors[search] })),
    panels: machines.flatMap((machine) => disciplines.map((discipline) => ({
      title: key(machine, discipline.name),
      groups: paper.speedups.map(({ name }) => ({ name, bars: searches.map((search) => {
        const value = runs.ratio(of, machine, discipline.name, search, name)
        return value === undefined ? null : { value }
      }) })),
    }))),
    axis: { label: `${of === 'wait' ? 'Waiting' : 'Total'} time, non-contiguous = 1`, from: 0, to: 4, step: 0.5, reference: 1, format: (value) => value.toFixed(2) },
  }
}

function inMinutes(seconds: number | null): number | null { return seconds === null ? null : seconds / 60 }

function shown(value: number | undefined, digits: number = 2): string { return value === undefined ? '-' : value.toFixed(digits) }
