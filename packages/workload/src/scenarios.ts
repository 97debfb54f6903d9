import { drawOneOf } from './draw.ts'
import { SpecError } from './spec-error.ts'
import type { Job } from './workload.ts'

/**
 * How much sooner jobs end where no other job disturbs them. Shares are integers in 1/1000 of the run time.
 *
 * | spec | who speeds up |
 * |---|---|
 * | `none` | nobody |
 * | `10%` | jobs of more than 4 nodes, by that much (Pollard et al., IV-B) |
 * | `v1` | every job is drawn into a bin of 0-10, 0-20 or 0-30 % (ibid.) |
 * | `v2` | jobs of 5 to 128 nodes are drawn into 0-10 or 0-20 %, larger ones into 0-10, 10-20 or 10-30 % (ibid.) |
 * | `v2-by-class` | the same bins; the upper end is reached by the largest job of the class: 128 nodes, 512 nodes |
 * | `random` | jobs of more than 64 nodes, by 0, 5, 15 or 30 % as drawn (Jigsaw paper, 5.4.1) |
 * | `all:20%` | every job, by that much (the speed-up factor of Pascual and Miguel-Alonso, III) |
 *
 * Inside a bin of V1 and V2 the speed-up is linear in the size and reaches the bin's upper end at 512 nodes. Where it
 * starts is not stated: here every bin has its lower end at 4 nodes, the largest size that the paper expects no
 * speed-up of, so that under V1 jobs of up to 4 nodes do not change. V2 by class is the other reading of "larger jobs have
 * larger speedups" inside a bin: the bins are those of a class of sizes, so the sizes are the class's, from above 4 or 128 nodes.
 */
export type Scenario =
  | { readonly kind: (typeof plainKinds)[number] }
  | { readonly kind: 'percent' | 'all'; readonly permille: number }

const plainKinds = ['none', 'v1', 'v2', 'v2-by-class', 'random'] as const

/** Every spec of a scenario, as help texts and errors list them. */
export const scenarioSpecs =
  'none, v1, v2, v2-by-class, random, 10% for jobs of more than 4 nodes, or all:10% for every job; percentages lie above 0 and below 100, with at most one decimal'

/** @throws SpecError */
export function parseScenario(text: string): Scenario {
  const plain = plainKinds.find((kind) => kind === text)
  if (plain !== undefined) return { kind: plain }
  const [, all, whole, decimal = '0'] = /^(all:)?(\d{1,2})(?:\.(\d))?%$/.exec(text) ?? []
  const permille = whole === undefined ? 0 : Number(whole) * 10 + Number(decimal)
  if (permille === 0) throw new SpecError('scenario', text, currentSpec(text) ?? scenarioSpecs)
  return { kind: all === undefined ? 'percent' : 'all', permille }
}

/** How a spec is written now that was `pascual:0.2` before; undefined for any other text. */
function currentSpec(text: string): string | undefined {
  const [, thousandths] = /^pascual:0\.(\d{1,3})$/.exec(text) ?? []
  const permille = Number((thousandths ?? '').padEnd(3, '0'))
  return permille === 0 ? undefined : formatScenario({ kind: 'all', permille })
}

/** The canonical spec. */
export function formatScenario(scenario: Scenario): string {
  switch (scenario.kind) {
    case 'percent':
      return `${scenario.permille / 10}%`
    case 'all':
      return `all:${scenario.permille / 10}%`
    default:
      return scenario.kind
  }
}

/**
 * The jobs with their run times in that scenario, rounded to whole milliseconds; estimates stay. What is drawn for a job depends on
 * seed and job id alone. Meant for policies that claim `speedupScenarios`.
 */
export function applyScenario(jobs: ReadonlyArray<Job>, scenario: Scenario, seed: number): ReadonlyArray<Job> {
  if (scenario.kind === 'none') return jobs
  return jobs.map((job) => ({
    ...job,
    runTime: Math.round((job.runTime * (whole - speedup(scenario, job, seed))) / whole),
  }))
}

/** Sizes between which the speed-up inside a bin grows; by class, there is one more between them. */
const smallest = 4
const middle = 128
const largest = 512
/** Speed-ups are counted in such parts of the run time: thousandths, times the steps inside a bin. */
const steps = largest - smallest
const whole = 1000 * steps

type Bin = readonly [lowPermille: number, highPermille: number]
const v1Bins: ReadonlyArray<Bin> = [
  [0, 100],
  [0, 200],
  [0, 300],
]
const v2SmallBins: ReadonlyArray<Bin> = [
  [0, 100],
  [0, 200],
]
const v2LargeBins: ReadonlyArray<Bin> = [
  [0, 100],
  [100, 200],
  [100, 300],
]
const randomPermilles = [0, 50, 150, 300]

function speedup(scenario: Scenario, { id, size }: Job, seed: number): number {
  const bin = (bins: ReadonlyArray<Bin>, from = smallest, to = largest): number =>
    insideBin(drawOneOf(bins, seed, 'scenario', id), size, from, to)
  switch (scenario.kind) {
    case 'none':
      return 0
    case 'percent':
      return size > smallest ? scenario.permille * steps : 0
    case 'all':
      return scenario.permille * steps
    case 'v1':
      return bin(v1Bins)
    case 'v2':
      return size > middle ? bin(v2LargeBins) : size > smallest ? bin(v2SmallBins) : 0
    case 'v2-by-class':
      if (size <= smallest) return 0
      return size > middle ? bin(v2LargeBins, middle) : bin(v2SmallBins, smallest, middle)
    case 'random':
      return size > 64 ? drawOneOf(randomPermilles, seed, 'scenario', id) * steps : 0
  }
}

function insideBin([low, high]: Bin, size: number, from: number, to: number): number {
  return low * steps + ((high - low) * steps * (Math.min(Math.max(size, from), to) - from)) / (to - from)
}
