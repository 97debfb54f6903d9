import { draw, drawOneOf } from './random.ts'
import { SpecError } from './specs.ts'
import { type Jobs, mapJobs } from './jobs.ts'
import type { Job } from './job.ts'

/**
 * Scenario: an assumption about the speed-ups of jobs that no other job disturbs. A speed-up is the share of the run
 * time that a job saves, an integer in 1/1000. The package's README has a table of the scenarios.
 *
 * Inside a bin of V1 and V2 (Pollard et al., IV-B), the speed-up is linear in the size and reaches the bin's upper end
 * at 512 nodes. Pollard et al. do not state the size at the lower end. Cloister puts the lower end of every bin at 4
 * nodes, the largest size without an expected speed-up in Pollard et al. So V1 does not change jobs of up to 4 nodes.
 * V2 by class is a second reading of "larger jobs have larger speedups" (Pollard et al.): the speed-ups of the smaller
 * class grow from 4 to 128 nodes, and the speed-ups of the larger class from 128 to 512 nodes. `random` comes from the
 * Jigsaw paper (5.4.1), `all` is the speed-up factor of Pascual and Miguel-Alonso (III).
 */
export type Scenario =
  | { readonly kind: (typeof plainKinds)[number] }
  | { readonly kind: 'percent' | 'all'; readonly permille: number }

const plainKinds = ['none', 'v1', 'v2', 'v2-by-class', 'random'] as const

/** Forms of all specs of `Scenario`, for help texts and errors. */
export const scenarioSpecs =
  'none, v1, v2, v2-by-class, random, 10% for jobs of more than 4 nodes, or all:10% for every job; percentages lie above 0 and below 100, with at most one decimal'

/** Reads a spec of `Scenario`. @throws SpecError for a text that is no spec */
export function parseScenario(text: string): Scenario {
  const plain = plainKinds.find((kind) => kind === text)
  if (plain !== undefined) return { kind: plain }
  const [, all, whole, decimal = '0'] = /^(all:)?(\d{1,2})(?:\.(\d))?%$/.exec(text) ?? []
  const permille = whole === undefined ? 0 : Number(whole) * 10 + Number(decimal)
  if (permille === 0) throw new SpecError('scenario', text, currentSpec(text) ?? scenarioSpecs)
  return { kind: all === undefined ? 'percent' : 'all', permille }
}

/** Returns the present spelling of a former spec (`pascual:0.2`); undefined for any other text. */
function currentSpec(text: string): string | undefined {
  const [, thousandths] = /^pascual:0\.(\d{1,3})$/.exec(text) ?? []
  const permille = Number((thousandths ?? '').padEnd(3, '0'))
  return permille === 0 ? undefined : formatScenario({ kind: 'all', permille })
}

/** Returns the canonical spec of a scenario. */
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
 * Returns the jobs with their run times under a scenario, rounded to whole ms. Walltimes stay unchanged. The draws for
 * a job depend only on the seed and the job id. The scenarios suit policies that claim `speedupScenarios`.
 */
export function applyScenario<List extends Jobs>(jobs: List, scenario: Scenario, seed: number): List {
  if (scenario.kind === 'none') return jobs
  return mapJobs(jobs, (job) => ({
    ...job,
    runTime: Math.round((job.runTime * (whole - speedup(scenario, job, seed))) / whole),
  }))
}

/** Sizes in nodes between which a speed-up grows. `middle` separates the classes of `v2` and `v2-by-class`. */
const smallest = 4
const middle = 128
const largest = 512
/** Units in a speed-up of 1/1000: one for each node from 4 to 512, so that speed-ups of V1 and V2 are exact. */
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

/** Bandwidth of each of the four classes of jobs of the Jigsaw paper (5.4.2), in MB/s on every link. */
export const bandwidthClasses: ReadonlyArray<number> = [500, 1000, 1500, 2000]

/** Gives every job one of the four bandwidth classes, drawn from seed and job id, instead of its former bandwidth. */
export function drawBandwidth<List extends Jobs>(jobs: List, seed: number): List {
  return mapJobs(jobs, (job) => ({ ...job, bandwidth: drawOneOf(bandwidthClasses, seed, 'bandwidth', job.id) }))
}

/** Parameters of `drawCommunication`: share of the communicating jobs, and the communication of each of these jobs. */
export interface CommunicationClasses {
  /** Probability that a job communicates, in 1/1000. The draws of different jobs are independent. */
  readonly jobs: number
  readonly pattern: string
  /** Share of communication in the run time of a communicating job, in 1/1000. */
  readonly share: number
}

/**
 * Makes some jobs communicate, drawn from seed and job id (Mishra et al. 2020, section 5.1). The drawn jobs get the
 * communication of `classes`; all other jobs lose any communication.
 */
export function drawCommunication<List extends Jobs>(
  jobs: List,
  { jobs: permille, pattern, share }: CommunicationClasses,
  seed: number,
): List {
  return mapJobs(jobs, ({ communication: _own, ...job }) =>
    draw(seed, 'communication', job.id) * 1000 < permille * 0x1_0000_0000
      ? { ...job, communication: { pattern, share } }
      : job,
  )
}
