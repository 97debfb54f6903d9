import { bindPolicy } from '@cloister/placement'
import contiguous from '@cloister/policy-contiguous'
import { parseTopology } from '@cloister/topology'
import { applyScenario, type Job, parseScenario } from '@cloister/workload'
import { Effect } from 'effect'
import type { Experiment } from '../experiment/reproduction.ts'
import { loadAll, locateAll, Traces } from '../experiment/services.ts'
import { compare, state } from '../report/comparison.ts'
import { least, most, orDash, ratio, threeDigits, threshold } from '../report/numbers.ts'
import { reportOf } from '../report/report.ts'
import * as paper from './paper.ts'
import { type Backfilling, type Machine, runWeaker } from './weaker-backfilling.ts'

const weaker: ReadonlyArray<Backfilling> = ['counts', 'ends before', 'ends before, in order']
const names: Readonly<Record<Backfilling, string>> = {
  nobody: 'first come, first served',
  counts: 'reservation for when enough nodes are free anywhere',
  'ends before': '..., and only jobs that end before it pass',
  'ends before, in order': '..., and the first that may not pass ends the search',
}
/** Every second speed-up factor of the Pascual paper, because the experiment has many runs. */
const factors = paper.factors.filter((_, at) => at % 2 === 0)

/** Wait under contiguous allocation relative to first fit, and speed-up from which on contiguous allocation pays. */
interface Found {
  readonly relative: number | undefined
  readonly pays: number | undefined
}

export const backfilling: Experiment = Effect.map(loadAll(paper.logs), (logs) => {
  const found = new Map(
    logs.flatMap((log) => weaker.map((rule) => [key(log.name, rule), underReading(log, log.jobs, rule)] as const)),
  )
  const shown = (log: string, rule: Backfilling): ReadonlyArray<string> => {
    const { relative, pays } = found.get(key(log, rule))!
    return [orDash(relative, times), pays === undefined ? 'none' : threeDigits(pays)]
  }
  const table = {
    title: 'Contiguous beside first fit: waits without speed-up, and from which speed-up on jobs spend less time',
    heading: ['', ...logs.flatMap(({ name }) => [`${name}: waits`, 'pays from'])],
    rows:
      logs.length === 0 ? [] : weaker.map((rule) => [names[rule], ...logs.flatMap(({ name }) => shown(name, rule))]),
  }
  return reportOf(
    [table],
    paper.logs.flatMap(({ name }) =>
      weaker.slice(1).flatMap((rule) => {
        const its = found.get(key(name, rule))
        const wait = `wait, contiguous without speed-up: ${name}, ${rule}`
        const speedup = `speed-up from which contiguous is ahead: ${name}, ${rule}`
        return [
          compare('IV, Fig. 2', wait, 'ratio', paper.waitWithoutSpeedup, its?.relative),
          its !== undefined && its.pays === undefined
            ? state('V', `${speedup}, up to ${factors.at(-1)}`, false)
            : compare('V', speedup, 'ratio', paper.anyThreshold, its?.pays),
        ]
      }),
    ),
  )
})

function key(log: string, rule: Backfilling): string {
  return `${log}, ${rule}`
}

function times(value: number): string {
  return `x ${value.toFixed(2)}`
}

function underReading(log: paper.PaperLog, jobs: ReadonlyArray<Job>, rule: Backfilling): Found {
  const firstFit = runWeaker(machineOf(log, 'first-fit'), jobs, rule)
  const bySpeedup = factors.map((x) => ({ x, times: runWeaker(machineOf(log, 'contiguous'), spedUp(jobs, x), rule) }))
  return {
    relative: ratio(bySpeedup[0].times.wait, firstFit.wait),
    pays: threshold(
      bySpeedup.map(({ x, times: { total } }) => ({ x, y: total })),
      firstFit.total,
    ),
  }
}

function machineOf({ topology: spec, installed }: paper.PaperLog, search: paper.Search): Machine {
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
      const relative = offsets.map((offset) => {
        const list = inMinutes(jobs, 1000 * offset)
        const [firstFit, own] = (['first-fit', 'contiguous'] as const).map((search) =>
          runWeaker(machineOf(log, search), list, 'nobody'),
        )
        return own.wait / firstFit.wait
      })
      return [log.name, ...[...relative, least(relative), most(relative)].map(times)]
    }),
  )
  const table = {
    title:
      'First come, first served: waits under contiguous beside first fit, by seconds added before times are rounded to minutes',
    heading: ['', ...offsets.map(String), 'least', 'most'],
    rows,
  }
  return reportOf([table])
})

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
