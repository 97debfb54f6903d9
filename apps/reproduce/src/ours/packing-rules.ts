import type { JsonObject } from '@cloister/run'
import { Effect } from 'effect'
import { plan, type Planned, runAll } from '../experiment/planned-runs.ts'
import type { Experiment } from '../experiment/reproduction.ts'
import { locateAll, type LocatedTrace, type PaperTrace, Records, type RunResult } from '../experiment/services.ts'
import { hours, orDash, percent } from '../report/numbers.ts'
import { reportOf, type Table } from '../report/report.ts'
import { type Capacity, CapacityOverTime } from './capacity.ts'

/** Job log with the machine of its runs. */
interface Workload extends PaperTrace {
  /** Block sizes in nodes: two, four and eight leaves, up to 72 nodes. */
  readonly blocks: ReadonlyArray<number>
}

/** Queue discipline of all logs: EASY with a window of 50 jobs. */
const queue = 'easy:50'

/**
 * Workloads of the experiment. Thunder's jobs arrive all at once. CEA-Curie's jobs arrive twice as fast as recorded,
 * because few jobs would wait with recorded arrivals.
 */
const workloads: ReadonlyArray<Workload> = [
  { name: 'Thunder', source: { trace: 'thunder' }, arrivals: 'zero', topology: 'radix:18', blocks: [18, 36, 72] },
  { name: 'CEA-Curie', source: { trace: 'cea-curie' }, arrivals: 'scale:0.5', topology: 'radix:28', blocks: [28, 56] },
  { name: 'Theta', source: { trace: 'theta' }, arrivals: 'trace', topology: 'radix:26', blocks: [26, 52] },
  { name: 'Synth-16', source: { trace: 'synth:16' }, arrivals: 'zero', topology: 'radix:16', blocks: [16, 32, 64] },
]

/** Number of moments at which the free capacity is measured in the steady state of each run. */
const MOMENTS = 200
/** Sizes of the additional job that a policy is asked to place, in nodes. */
const sizes = [4, 8, 16, 32, 64, 128, 256]

interface Measured {
  readonly rule: string
  readonly metrics: RunResult['metrics']
  readonly capacity: Capacity
}

export const packingRules: Experiment<Records> = Effect.gen(function* () {
  const located = yield* locateAll(workloads)
  // One call requests all runs, so the runs can use all processors at once.
  const outcomes = yield* runAll(located.flatMap(plannedOn))
  const tables: Array<Table> = []
  for (const workload of located) {
    const measured: Array<Measured> = []
    for (const planned of plannedOn(workload)) {
      const result = outcomes.get(planned.trace, planned.scheme)
      if (result === undefined) continue
      const capacity = yield* capacityOf(workload, planned, result)
      measured.push({ rule: planned.scheme, metrics: result.metrics, capacity })
    }
    tables.push(...tablesOf(workload, measured))
  }
  return reportOf(tables)
})

function plannedOn(workload: Workload & { readonly located: LocatedTrace }): ReadonlyArray<Planned> {
  return rulesOn(workload).map(({ name, policy, config }) =>
    plan(workload, queue, { name, spec: { policy: { name: policy, config } } }),
  )
}

/** Measures the free capacity in the steady state of a run; over the whole run if no job ever waited. */
const capacityOf = Effect.fnUntraced(function* ({ blocks }: Workload, { spec }: Planned, { metrics }: RunResult) {
  const { watch } = yield* Records
  const span = metrics.steadyState ?? { from: 0, to: metrics.makespan ?? 0 }
  const capacity = new CapacityOverTime(span, MOMENTS, blocks, sizes)
  yield* watch(spec, (record) => capacity.add(record))
  return capacity.result()
})

function tablesOf(
  { name, topology, arrivals, blocks }: Workload,
  measured: ReadonlyArray<Measured>,
): ReadonlyArray<Table> {
  const classes = measured[0]?.metrics.wait.bySize.filter(({ jobs }) => jobs > 0) ?? []
  return [
    {
      title: `${name} on ${topology}, arrivals ${arrivals}, ${queue}: utilization, and hours of wait by nodes`,
      heading: ['', 'utilization', 'held back', 'wait', ...classes.map((each) => each.sizes)],
      rows: measured.map(({ rule, metrics }) => [
        rule,
        orDash(metrics.utilization.steady ?? metrics.utilization.overall, percent),
        orDash(metrics.fragmentation.placement, percent),
        orDash(metrics.wait.mean, hours),
        ...classes.map((each) => orDash(metrics.wait.bySize.find((own) => own.sizes === each.sizes)!.mean, hours)),
      ]),
    },
    {
      title: `${name}, at ${MOMENTS} moments: free nodes, free nodes in whole blocks, and how often another job of a given size fits`,
      heading: ['', 'free', ...blocks.map((size) => `blocks of ${size}`), ...sizes.map((size) => `a job of ${size}`)],
      rows: measured.map(({ rule, capacity }) => [
        rule,
        capacity.free.toFixed(0),
        ...[...capacity.inWholeBlocks, ...capacity.fits].map((share) => percent(share)),
      ]),
    },
  ]
}

/** Packing rule: a policy with a configuration, under the name in the tables. */
interface PackingRule {
  readonly name: string
  readonly policy: string
  readonly config: JsonObject
}

/** Number of nodes of a slice: a part of a job that Kueue places on one leaf. */
const SLICE = 4

/**
 * Returns the packing rules on a machine with the given block sizes. Leaves are Kueue's lowest level: if nodes were the
 * lowest level, `unconstrained` would be Baseline. No Kueue rule has the mode `required`, because jobs larger than a
 * block would never run.
 */
export function rulesOn({ blocks }: Pick<Workload, 'blocks'>): ReadonlyArray<PackingRule> {
  const [base] = blocks
  const kueue = (name: string, config: JsonObject): PackingRule => ({
    name: `kueue-tas, ${name}`,
    policy: 'kueue-tas',
    config: { blockSizes: [base], lowest: 'leaf', ...config },
  })
  const block = (name: string, config: JsonObject): PackingRule => ({
    name: `slurm-block ${name}`,
    policy: 'slurm-block',
    config,
  })
  return [
    { name: 'baseline', policy: 'baseline', config: {} },
    { name: 'slurm-tree', policy: 'slurm-tree', config: {} },
    { name: 'contiguous', policy: 'contiguous', config: {} },
    { name: 'jigsaw', policy: 'jigsaw', config: {} },
    ...blocks.map((size) => block(`${size}`, { blockSizes: [size] })),
    block(blocks.join('-'), { blockSizes: blocks }),
    block(`${blocks.join('-')}, segments of ${base}`, {
      blockSizes: blocks,
      segment: base,
      indivisible: 'unsegmented',
    }),
    ...blocks.map((size) => kueue(`block ${size}`, { blockSizes: [size] })),
    kueue('leaf', { level: 'leaf' }),
    kueue('leaf, balanced', { level: 'leaf', profile: 'balanced' }),
    kueue(`leaf, slices of ${SLICE}`, {
      level: 'leaf',
      slices: [{ size: SLICE, level: 'leaf' }],
      indivisible: 'unsliced',
    }),
    kueue('unconstrained', { mode: 'unconstrained' }),
  ]
}
