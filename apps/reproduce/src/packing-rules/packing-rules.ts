import { Effect } from 'effect'
import type { Experiment } from '../experiment/experiment.ts'
import { plan, type Planned } from '../experiment/outcomes.ts'
import { type RunResult, Runs } from '../experiment/runs.ts'
import { type LocatedTrace, locateAll, Traces } from '../experiment/traces.ts'
import { count, percent } from '../report/quantities.ts'
import type { Report, Table } from '../report/report.ts'
import { type Capacity, CapacityOverTime } from './capacity.ts'
import { lastJobs, type Workload, workloads } from './machines.ts'
import { type PackingRule, rulesOn } from './rules.ts'

/** Number of moments at which the free capacity is measured in the steady state of each run. */
const MOMENTS = 200
/** Sizes of the additional job that a policy is asked to place, in nodes. */
const sizes = [4, 8, 16, 32, 64, 128, 256]

interface Measured {
  readonly rule: PackingRule
  readonly result: RunResult
  readonly capacity: Capacity
}

export const packingRules: Experiment = Effect.gen(function* () {
  const located = yield* Effect.forEach(yield* locateAll(workloads), withJobs)
  const { run } = yield* Runs
  const tables: Array<Table> = []
  // One call requests all runs, so the runs can use all processors at once.
  const planned = located.map((workload) => rulesOn(workload).map((rule) => planOf(workload, rule)))
  const results = yield* run(planned.flat().map(({ spec }) => spec))
  let next = 0
  for (const [at, workload] of located.entries()) {
    const measured: Array<Measured> = []
    for (const [place, rule] of rulesOn(workload).entries()) {
      const result = results[next++]
      if (result === undefined) continue
      measured.push({ rule, result, capacity: yield* capacityOf(workload, planned[at][place], result) })
    }
    tables.push(...tablesOf(workload, measured))
  }
  return { tables, comparisons: [], charts: [] } satisfies Report
})

interface Located extends Workload {
  readonly located: LocatedTrace
  /** Number of jobs that are left out from the start of the log. */
  readonly dropped: number
}

const withJobs = Effect.fnUntraced(function* (workload: Omit<Located, 'dropped'>) {
  const { jobs } = yield* Traces
  const all = yield* jobs(workload.located)
  return { ...workload, dropped: Math.max(0, all.length - lastJobs) } satisfies Located
})

function planOf(workload: Located, { name, policy, config }: PackingRule): Planned {
  const planned = plan(workload, { name, spec: { policy: { name: policy, config } } })
  return workload.dropped === 0
    ? planned
    : { ...planned, spec: { ...planned.spec, resample: `drop-first:${workload.dropped}` } }
}

/** Measures the free capacity in the steady state of a run; over the whole run if no job ever waited. */
const capacityOf = Effect.fnUntraced(function* ({ blocks }: Workload, { spec }: Planned, { metrics }: RunResult) {
  const { watch } = yield* Runs
  const span = metrics.steadyState ?? { from: 0, to: metrics.makespan ?? 0 }
  const capacity = new CapacityOverTime(span, MOMENTS, blocks, sizes)
  yield* watch(spec, (record) => capacity.add(record))
  return capacity.result()
})

function tablesOf(
  { name, topology, arrivals, queue, blocks }: Workload,
  measured: ReadonlyArray<Measured>,
): ReadonlyArray<Table> {
  const classes = measured[0]?.result.metrics.wait.bySize.filter(({ jobs }) => jobs > 0) ?? []
  return [
    {
      title: `${name}, the last ${count(lastJobs)} jobs on ${topology}, arrivals ${arrivals}, ${queue}: utilization, and hours of wait by nodes`,
      heading: ['', 'utilization', 'held back', 'wait', ...classes.map((each) => each.sizes)],
      rows: measured.map(({ rule, result: { metrics } }) => [
        rule.name,
        share(metrics.utilization.steady ?? metrics.utilization.overall),
        share(metrics.fragmentation.placement),
        hours(metrics.wait.mean),
        ...classes.map((each) => hours(metrics.wait.bySize.find((own) => own.sizes === each.sizes)!.mean)),
      ]),
    },
    {
      title: `${name}, at ${MOMENTS} moments: free nodes, free nodes in whole blocks, and how often another job of a given size fits`,
      heading: ['', 'free', ...blocks.map((size) => `blocks of ${size}`), ...sizes.map((size) => `a job of ${size}`)],
      rows: measured.map(({ rule, capacity }) => [
        rule.name,
        capacity.free.toFixed(0),
        ...capacity.inWholeBlocks.map(share),
        ...capacity.fits.map(share),
      ]),
    },
  ]
}

function share(value: number | null): string {
  return value === null ? '-' : percent(value)
}

function hours(seconds: number | null): string {
  return seconds === null ? '-' : (seconds / 3600).toFixed(2)
}
