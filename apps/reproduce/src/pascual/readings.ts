import { formatIdset, parseTopology } from '@cloister/topology'
import { Effect } from 'effect'
import {
  changed,
  Outcomes,
  plan,
  type Planned,
  runAll,
  runOn,
  type Figure,
  turnaround,
} from '../experiment/planned-runs.ts'
import type { Experiment } from '../experiment/reproduction.ts'
import { locateAll, type LocatedTrace, Traces } from '../experiment/services.ts'
import { compare, state } from '../report/comparison.ts'
import { allKnown, least, most, ofBoth, orDash, threeDigits, threshold } from '../report/numbers.ts'
import { reportOf } from '../report/report.ts'
import * as paper from './paper.ts'
import { speedup } from './speedups.ts'

const weaker = ['counts', 'ends before', 'ends before, in order'] as const
type Backfilling = (typeof weaker)[number]
const names: Readonly<Record<Backfilling, string>> = {
  counts: 'reservation for when enough nodes are free anywhere',
  'ends before': '..., and only jobs that end before it pass',
  'ends before, in order': '..., and the first that may not pass ends the search',
}
/** Queue disciplines of the readings. Under `counts` tens of thousands of jobs wait; the window has 1000 of them. */
const queues: Readonly<Record<Backfilling, string>> = {
  counts: 'counting:1000',
  'ends before': 'counting:1000000,early',
  'ends before, in order': 'counting:1000000,in-order',
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
  const { write } = yield* Traces
  const logs = yield* locateAll(paper.logs)
  const planned = yield* Effect.forEach(
    logs,
    Effect.fnUntraced(function* (log) {
      const outages = yield* write(`pascual-${log.name}-not-installed.ndjson`, notInstalled(log))
      return weaker.flatMap((rule) =>
        runsUnder(log, rule).map((each) => changed(each, { outages, reservation: undefined })),
      )
    }),
  )
  const outcomes = yield* runAll(planned.flat())
  const found = new Map(
    logs.flatMap(({ name }) => weaker.map((rule) => [key(name, rule), underReading(outcomes, name, rule)] as const)),
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
        const waits = `wait, contiguous without speed-up: ${name}, ${rule}`
        const from = `speed-up from which contiguous is ahead: ${name}, ${rule}`
        return [
          compare('IV, Fig. 2', waits, 'ratio', paper.waitWithoutSpeedup, its?.relative),
          its?.relative !== undefined && its.pays === undefined
            ? state('V', `${from}, up to ${factors.at(-1)}`, false)
            : compare('V', from, 'ratio', paper.anyThreshold, its?.pays),
        ]
      }),
    ),
  )
})

function key(log: string, of: Backfilling | number): string {
  return `${log}, ${of}`
}

function times(value: number): string {
  return `x ${value.toFixed(2)}`
}

/** Returns the file of outages for the nodes that are not installed: a count of free nodes must leave these nodes out. */
function notInstalled({ topology, installed }: paper.PaperLog): string {
  const { nodes } = parseTopology(topology)
  const absent = Array.from({ length: nodes - installed }, (_, at) => installed + at)
  return `${JSON.stringify({ t: 0, type: 'down', nodes: formatIdset(absent) })}\n`
}

function planOf(log: Log, name: string, queue: string, search: paper.Search, factor: number = 0): Planned {
  const policy = { name: 'contiguous', config: { search, installed: log.installed } }
  return plan({ ...log, name }, queue, { name: search, spec: { ...paper.estimates, policy } }, speedup(factor))
}

function runsUnder(log: Log, rule: Backfilling): ReadonlyArray<Planned> {
  const under = (search: paper.Search, factor: number): Planned =>
    planOf(log, key(log.name, rule), queues[rule], search, factor)
  return [under('first-fit', 0), ...factors.map((factor) => under('contiguous', factor))]
}

function underReading(outcomes: Outcomes, log: string, rule: Backfilling): Found {
  const name = key(log, rule)
  const totals = allKnown(factors.map((x) => outcomes.value(turnaround, name, 'contiguous', speedup(x).name)))
  return {
    relative: outcomes.ratio(wait, name, 'contiguous', 'None', 'first-fit'),
    pays: ofBoth(totals, outcomes.value(turnaround, name, 'first-fit'), (each, byFirstFit) =>
      threshold(
        factors.map((x, at) => ({ x, y: each[at] })),
        byFirstFit,
      ),
    ),
  }
}

const wait: Figure = ({ metrics }) => metrics.wait.mean

/** Seconds that are added to every submit time before the rounding to minutes. */
const offsets = [0, 6, 12, 18, 24, 30, 36, 42, 48, 54]

export const rounding: Experiment = Effect.gen(function* () {
  const { outcomes, names: logs } = yield* runOn(paper.logs, (log) =>
    offsets.flatMap((offset) =>
      (['first-fit', 'contiguous'] as const).map((search) =>
        changed(planOf(log, key(log.name, offset), 'fcfs', search), { filter: rounded(log.located, offset) }),
      ),
    ),
  )
  const rows = logs.map((log) => {
    const relative = offsets.map((offset) => outcomes.ratio(wait, key(log, offset), 'contiguous', 'None', 'first-fit'))
    const all = allKnown(relative)
    return [log, ...[...relative, all && least(all), all && most(all)].map((each) => orDash(each, times))]
  })
  const table = {
    title:
      'First come, first served: waits under contiguous beside first fit, by seconds added before times are rounded to minutes',
    heading: ['', ...offsets.map(String), 'least', 'most'],
    rows,
  }
  return reportOf([table])
})

function rounded({ filter = '' }: LocatedTrace, offset: number): string {
  return offset === 0 ? filter : filter.replace('times=minutes', `times=minutes+${offset}`)
}
