import { bindPolicy } from '@cloister/placement'
import contiguous from '@cloister/policy-contiguous'
import { parseTopology } from '@cloister/topology'
import { applyScenario, type Job, parseScenario } from '@cloister/workload'
import { Effect } from 'effect'
import type { Experiment } from '../experiment/experiment.ts'
import { type LocatedTrace, locateAll, Traces } from '../experiment/traces.ts'
import { compare } from '../report/comparison.ts'
import type { Report } from '../report/report.ts'
import { least, most, ratio } from '../report/statistics.ts'
import * as paper from './paper.ts'
import { threshold } from './threshold.ts'
import { type Machine, type MeanTimes, type Backfilling, runWeaker } from './weaker-backfilling.ts'

const weaker: ReadonlyArray<Backfilling> = ['counts', 'ends before', 'ends before, in order']
const names: Readonly<Record<Backfilling, string>> = {
  nobody: 'first come, first served',
  counts: 'reservation for when enough nodes are free anywhere',
  'ends before': '..., and only jobs that end before it pass',
  'ends before, in order': '..., and the first that may not pass ends the search',
}
/** Every second speed-up factor of the Pascual paper, because the experiment has many runs. */
const factors = paper.factors.filter((_, at) => at % 2 === 0)

type Log = paper.PaperLog & { readonly located: LocatedTrace }

/** Wait under contiguous allocation relative to first fit, and speed-up from which on contiguous allocation pays. */
interface Found {
  readonly relative: number | undefined
  readonly pays: number | undefined
}

export const backfilling: Experiment = Effect.gen(function* () {
  const traces = yield* Traces
  const logs = yield* Effect.forEach(yield* locateAll(paper.logs), (log) =>
    Effect.map(traces.jobs(log.located), (jobs) => ({ log, jobs })),
  )
  const found = new Map(
    logs.flatMap(({ log, jobs }) =>
      weaker.map((rule) => [key(log.name, rule), underReading(log, jobs, rule)] as const),
    ),
  )
  const shown = (log: string, rule: Backfilling): ReadonlyArray<string> => {
    const { relative, pays } = found.get(key(log, rule))!
    return [relative === undefined ? '-' : `x ${relative.toFixed(2)}`, pays === undefined ? 'none' : pays.toFixed(3)]
  }
  return {
    tables: [
      {
        title: 'Contiguous beside first fit: waits without speed-up, and from which speed-up on jobs spend less time',
        heading: ['', ...logs.flatMap(({ log }) => [`${log.name}: waits`, 'pays from'])],
        rows:
          logs.length === 0
            ? []
            : weaker.map((rule) => [names[rule], ...logs.flatMap(({ log }) => shown(log.name, rule))]),
      },
    ],
    comparisons: paper.logs.flatMap(({ name }) =>
      weaker.slice(1).flatMap((rule) => {
        const its = found.get(key(name, rule))
        return [
          compare(
            'IV, Fig. 2',
            `wait, contiguous without speed-up: ${name}, ${rule}`,
            'ratio',
            paper.waitWithoutSpeedup,
            its?.relative,
          ),
          compare(
            'V',
            `speed-up from which contiguous is ahead: ${name}, ${rule}`,
            'ratio',
            paper.anyThreshold,
            its?.pays,
          ),
        ]
      }),
    ),
    charts: [],
  }
})

function key(log: string, rule: Backfilling): string {
  return `${log}, ${rule}`
}

function underReading(log: Log, jobs: ReadonlyArray<Job>, rule: Backfilling): Found {
  const firstFit = runWeaker(machineOf(log, 'first-fit'), jobs, rule)
  const bySpeedup = factors.map((x) => ({ x, times: runWeaker(machineOf(log, 'contiguous'), spedUp(jobs, x), rule) }))
  return {
    relative: ratio(bySpeedup[0].times.wait, firstFit.wait),
    pays: threshold(
      bySpeedup.map(({ x, times }) => ({ x, y: times.total })),
      firstFit.total,
    ),
  }
}

function machineOf({ topology: spec, installed }: Log, search: paper.Search): Machine {
  const topology = parseTopology(spec)
  return { topology, installed, placer: bindPolicy(contiguous, topology, { search, installed }).placer }
}

function spedUp(jobs: ReadonlyArray<Job>, factor: number): ReadonlyArray<Job> {
  return factor === 0 ? jobs : applyScenario(jobs, parseScenario(`all:${(100 * factor).toFixed(0)}%`), 1)
}

/** Seconds that are added to every submit time before the rounding to minutes. */
const offsets = [0, 6, 12, 18, 24, 30, 36, 42, 48, 54]
const MINUTE = 60_000

export const rounding: Experiment = Effect.gen(function* () {
  const traces = yield* Traces
  const rows = yield* Effect.forEach(
    yield* locateAll(paper.logs),
    Effect.fnUntraced(function* (log) {
      const jobs = yield* traces.jobs({ ...log.located, filter: toTheSecond(log.located.filter) })
      const found = offsets.map((offset) => {
        const list = inMinutes(jobs, 1000 * offset)
        return (['first-fit', 'contiguous'] as const).map((search) => runWeaker(machineOf(log, search), list, 'nobody'))
      })
      return { name: log.name, found }
    }),
  )
  return report(rows)
})

function report(
  rows: ReadonlyArray<{ readonly name: string; readonly found: ReadonlyArray<ReadonlyArray<MeanTimes>> }>,
): Report {
  const relative = (found: ReadonlyArray<ReadonlyArray<MeanTimes>>): ReadonlyArray<number> =>
    found.map(([firstFit, own]) => own.wait / firstFit.wait)
  const times = (value: number): string => `x ${value.toFixed(2)}`
  return {
    tables: [
      {
        title:
          'First come, first served: waits under contiguous beside first fit, by seconds added before times are rounded to minutes',
        heading: ['', ...offsets.map(String), 'least', 'most'],
        rows: rows.map(({ name, found }) => {
          const values = relative(found)
          return [name, ...values.map(times), times(least(values)), times(most(values))]
        }),
      },
    ],
    comparisons: [],
    charts: [],
  }
}

function toTheSecond(filter: string | undefined): string {
  return (filter ?? '')
    .split(',')
    .filter((term) => term !== 'times=minutes')
    .join(',')
}

/** Rounds times like the filter term `times=minutes`, after `offset` ms are added to every submit time. */
function inMinutes(jobs: ReadonlyArray<Job>, offset: number): ReadonlyArray<Job> {
  return jobs.map(({ submit, runTime, walltime, ...job }) => ({
    ...job,
    submit: Math.round((submit + offset) / MINUTE) * MINUTE,
    runTime: runTime === 0 ? 0 : Math.max(MINUTE, Math.round(runTime / MINUTE) * MINUTE),
    walltime: walltime === undefined ? undefined : Math.ceil(walltime / MINUTE) * MINUTE,
  }))
}
