import type { CommunicatingOnLeaf } from '@cloister/communication'
import type { RunTimes } from '@cloister/kernel'
import type { Placer } from '@cloister/placement'
import { parseTopology, type Topology } from '@cloister/topology'
import { drawCommunication, type Job, makeWorkload, type Workload } from '@cloister/workload'
import { runReserved, runUnreserved, slurmWindow } from '../experiment/own-queues.ts'
import { least, mean, most, percent, sum } from '../report/numbers.ts'
import * as paper from './paper.ts'
import { placersOf, ranksOf } from './placers.ts'
import { stepCost } from './step-costs.ts'

/** Result of a run: the number of jobs that ran (`jobs`), and sums over these jobs in hours (or node-hours). */
interface Outcome {
  readonly jobs: number
  readonly execution: number
  readonly wait: number
  readonly nodeHours: number
  /** End of the last job, in hours after the first submission. */
  readonly makespan: number
  /** Communication costs of each communicating job, by the job's id; empty for a run with adjusted run times. */
  readonly costs: ReadonlyMap<string, Costs>
  /** Share of the run time in the log that a communicating job saves, by the job's id; negative if it runs longer. */
  readonly saved: ReadonlyMap<string, number>
}

/**
 * Communication costs of a job, one for each pattern of the mixture: `here` on the job's nodes, `byDefault` on the
 * nodes that the default would choose in the same state. Both are equal unless the reading's `oldCost` is `same state`.
 */
interface Costs {
  readonly here: ReadonlyArray<number>
  readonly byDefault: ReadonlyArray<number>
}

const HOUR = 3_600_000

/** Runs of a log on a machine, under a reading of the Mishra paper and a mixture of patterns. */
export class MishraRuns {
  readonly topology: Topology
  readonly #reading: paper.Reading
  readonly #mix: paper.Mix
  readonly #placers: Readonly<Record<paper.Algorithm, Placer>>

  constructor(reading: paper.Reading, mix: paper.Mix) {
    this.topology = parseTopology(reading.topology)
    this.#reading = reading
    this.#mix = mix
    this.#placers = placersOf(this.topology, reading, (state, ranks) => {
      const costs = this.costsOf((leaf) => state.communicatingNodesOnLeaf(leaf), ranks)
      return costs.reduce((sum, cost, at) => sum + mix.parts[at][1] * cost, 0)
    })
  }

  placer(algorithm: paper.Algorithm): Placer {
    return this.#placers[algorithm]
  }

  /** Returns the communication cost of each pattern of the mixture, for a job whose ranks are on the nodes `ranks`. */
  costsOf(others: CommunicatingOnLeaf, ranks: ArrayLike<number>): ReadonlyArray<number> {
    return this.#mix.parts.map(([pattern]) => stepCost(this.topology, others, ranks, pattern, this.#reading))
  }

  /**
   * Runs the same jobs under every algorithm. Under every algorithm except the default, run times are adjusted by
   * communication costs.
   *
   * @param communicating share of the jobs that communicate
   */
  continuous(
    jobs: ReadonlyArray<Job>,
    communicating: number,
    seed: number,
  ): Readonly<Record<paper.Algorithm, Outcome>> {
    const workload = this.#workload(jobs, communicating, seed)
    const byDefault = this.#run('Default', workload)
    const again = (algorithm: paper.Algorithm): Outcome =>
      this.#run(algorithm, workload, this.#times(algorithm, workload, byDefault))
    return { Default: byDefault, Greedy: again('Greedy'), Balanced: again('Balanced'), Adaptive: again('Adaptive') }
  }

  /** Returns a function from a job to the factor on its run time in the log (equation 7); 1 for a job without costs. */
  #times(algorithm: paper.Algorithm, workload: Workload, byDefault: Outcome): (job: Job) => number {
    const { costs } = this.#run(algorithm, workload)
    return ({ id, communication }) => {
      const found = costs.get(id)
      const before = this.#reading.oldCost === 'default run' ? byDefault.costs.get(id)?.here : found?.byDefault
      return found === undefined || before === undefined ? 1 : this.timeFactor(communication!.share, found.here, before)
    }
  }

  /**
   * Returns the factor on a job's run time by equation 7.
   *
   * @param share share of communication in the run time, in 1/1000
   * @param here cost of each pattern of the mixture under the algorithm; `before`: each cost under the default
   */
  timeFactor(share: number, here: ReadonlyArray<number>, before: ReadonlyArray<number>): number {
    const whole = this.#mix.parts.reduce((sum, [, weight]) => sum + weight, 0)
    return this.#mix.parts.reduce((factor, [, weight], at) => {
      if (before[at] === 0) return factor
      return factor + ((share * weight) / whole / 1000) * (here[at] / before[at] - 1)
    }, 1)
  }

  /**
   * Returns the jobs with sizes divided for the machine, and with a draw of the communicating jobs. If the reading's
   * `share` is `list`, the communicating jobs are those of the job list.
   */
  scaled(jobs: ReadonlyArray<Job>, communicating: number, seed: number): ReadonlyArray<Job> {
    const { scale, share } = this.#reading
    const smaller = jobs.map((job) => ({ ...job, size: Math.max(1, Math.floor(job.size / scale)) }))
    if (share === 'list') return smaller
    return drawCommunication(
      smaller,
      { jobs: 10 * communicating, pattern: paper.patterns[this.#mix.parts[0][0]], share },
      seed,
    )
  }

  #workload(jobs: ReadonlyArray<Job>, communicating: number, seed: number): Workload {
    const list = this.scaled(jobs, communicating, seed).map((job): Job => ({
      ...job,
      submit: job.submit - jobs[0].submit,
    }))
    return makeWorkload(list, { name: `seed ${seed}`, filter: '' })
  }

  /** @param factorOf returns the factor on a job's run time; if absent, run times stay, and costs are measured */
  #run(algorithm: paper.Algorithm, workload: Workload, factorOf?: (job: Job) => number): Outcome {
    // Under EASY the kernel also asks for the run times of planned starts. The map keeps the last call for each job,
    // which is the job's start.
    const started = new Map<string, Start>()
    const costs = new Map<string, Costs>()
    const saved = new Map<string, number>()
    const jobs = new Map(workload.jobs.map((job) => [job.id, job]))
    const runTimes: RunTimes = (state, request, placement, time) => {
      const { job: id, now, submitted, communication, nodes } = request
      const factor = factorOf?.(jobs.get(id)!) ?? 1
      const taken = Math.round(time * factor)
      started.set(id, { nodes, wait: now - submitted, taken, end: now + taken })
      if (communication === undefined) return taken
      saved.set(id, 1 - factor)
      if (factorOf !== undefined) return taken
      const others: CommunicatingOnLeaf = (leaf) => state.communicatingNodesOnLeaf(leaf)
      const here = this.costsOf(others, ranksOf(placement))
      const slurms =
        this.#reading.oldCost === 'same state' ? this.#placers.Default.place(state, request, undefined) : undefined
      costs.set(id, { here, byDefault: slurms?.ok === true ? this.costsOf(others, slurms.nodes) : here })
      return taken
    }
    const placer = this.#placers[algorithm]
    if (this.#reading.queue === 'reserves nothing')
      runUnreserved(this.topology, placer, workload, slurmWindow, runTimes)
    // The estimates are the run times in the log, without the factors of equation 7.
    else runReserved(this.topology, placer, workload, 'exact', runTimes)
    return { ...sumsOf([...started.values()]), costs, saved }
  }
}

/** Start of a job; times in milliseconds. */
interface Start {
  readonly nodes: number
  readonly wait: number
  readonly taken: number
  readonly end: number
}

function sumsOf(starts: ReadonlyArray<Start>): Omit<Outcome, 'costs' | 'saved'> {
  const hours = (of: (start: Start) => number): number => sum(starts.map(of)) / HOUR
  return {
    jobs: starts.length,
    execution: hours(({ taken }) => taken),
    wait: hours(({ wait }) => wait),
    nodeHours: hours(({ nodes, taken }) => nodes * taken),
    makespan: most(starts.map(({ end }) => end)) / HOUR,
  }
}

/** Seeds of the draws of the jobs that communicate. */
export const seeds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
export const drawn = `${seeds.length} draws`

/** Functions that return a figure of a run's outcome. */
const figures = {
  execution: ({ execution }: Outcome): number => execution,
  wait: ({ wait }: Outcome): number => wait,
  turnaround: ({ execution, wait }: Outcome): number => execution + wait,
  nodeHours: ({ nodeHours }: Outcome): number => nodeHours,
  makespan: ({ makespan }: Outcome): number => makespan,
}
export type Figure = keyof typeof figures

/** Continuous runs of the same jobs under every algorithm, one run for each draw of the communicating jobs. */
export class Draws {
  readonly #outcomes: ReadonlyArray<Readonly<Record<paper.Algorithm, Outcome>>>

  constructor(
    jobs: ReadonlyArray<Job>,
    reading: paper.Reading,
    mix: paper.Mix,
    communicating: number = paper.communicating,
    of: ReadonlyArray<number> = seeds,
  ) {
    const runs = new MishraRuns(reading, mix)
    this.#outcomes = of.map((seed) => runs.continuous(jobs, communicating, seed))
  }

  /** Returns the mean of an algorithm's figure over the draws of the communicating jobs. */
  value(figure: Figure, algorithm: paper.Algorithm): number {
    return mean(this.#outcomes.map((each) => figures[figure](each[algorithm])))
  }

  /** Returns for each draw the share of the default's figure that an algorithm saves; 0 if the default has 0. */
  saved(figure: Figure, algorithm: paper.Algorithm): ReadonlyArray<number> {
    return this.#outcomes.map((each) => {
      const byDefault = figures[figure](each.Default)
      return byDefault === 0 ? 0 : 1 - figures[figure](each[algorithm]) / byDefault
    })
  }

  /** Returns a text for each algorithm of the Mishra paper: the saved shares' mean, with the least and the largest. */
  savedTexts(figure: Figure): ReadonlyArray<string> {
    return paper.ours.map((algorithm) => spread(this.saved(figure, algorithm)))
  }

  /** Returns for each draw the largest share of run time that a single job saves under any algorithm. */
  mostSavedByJob(): ReadonlyArray<number> {
    return this.#outcomes.map((each) => most(paper.ours.flatMap((algorithm) => [...each[algorithm].saved.values()])))
  }
}

/** Returns the share of the default's figure that algorithms save, as the mean over the algorithms and the draws. */
export function meanOver(algorithms: ReadonlyArray<paper.Algorithm>, draws: Draws, figure: Figure): number {
  return mean(algorithms.map((algorithm) => mean(draws.saved(figure, algorithm))))
}

/** Returns the mean of shares, with the least and the largest share, as a text in percent. */
export function spread(shares: ReadonlyArray<number>): string {
  return `${percent(mean(shares))} (${(100 * least(shares)).toFixed(1)} to ${(100 * most(shares)).toFixed(1)})`
}
