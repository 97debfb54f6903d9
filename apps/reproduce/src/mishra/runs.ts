import { type CommunicatingOnLeaf } from '@cloister/communication'
import { countingRecorder } from '@cloister/eventlog'
import { type RunTimes, simulate } from '@cloister/kernel'
import type { Placer } from '@cloister/placement'
import { parseTopology, type Topology } from '@cloister/topology'
import { drawCommunication, type Job, makeWorkload, type Workload } from '@cloister/workload'
import { most, sum } from '../report/statistics.ts'
import { type Algorithm, type Mix, patterns } from './paper.ts'
import { placersOf, ranksOf } from './placers.ts'
import type { Reading } from './reading.ts'
import { stepCost } from './step-costs.ts'
import { runUnreserved } from './unreserved-queue.ts'

/** What a run comes to, over all jobs that ran. */
export interface Outcome {
  readonly jobs: number
  /** Hours. */
  readonly execution: number
  readonly wait: number
  readonly nodeHours: number
  /** When the last job ends. */
  readonly makespan: number
  /** Of jobs that communicate, by id: what each pattern of the mixture costs, here and by default at that moment. */
  readonly costs: ReadonlyMap<string, Costs>
  /** Of jobs that communicate, by id: which share of its run time each saves. */
  readonly saved: ReadonlyMap<string, number>
}

/** By part of the mixture. */
interface Costs {
  readonly here: ReadonlyArray<number>
  readonly byDefault: ReadonlyArray<number>
}

const HOUR = 3_600_000
/** How many waiting jobs are tried: as many as Slurm tests. */
const WINDOW = 100

/** Runs of one log on one machine, under a reading. */
export class MishraRuns {
  readonly topology: Topology
  readonly #reading: Reading
  readonly #mix: Mix
  readonly #placers: Readonly<Record<Algorithm, Placer>>

  constructor(reading: Reading, mix: Mix) {
    this.topology = parseTopology(reading.topology)
    this.#reading = reading
    this.#mix = mix
    this.#placers = placersOf(this.topology, reading, (state, ranks) => {
      const costs = this.costsOf((leaf) => state.communicatingNodesOnLeaf(leaf), ranks)
      return costs.reduce((sum, cost, at) => sum + mix.parts[at][1] * cost, 0)
    })
  }

  placer(algorithm: Algorithm): Placer {
    return this.#placers[algorithm]
  }

  /** Of the patterns of the mixture. */
  costsOf(others: CommunicatingOnLeaf, ranks: ArrayLike<number>): ReadonlyArray<number> {
    return this.#mix.parts.map(([pattern]) => stepCost(this.topology, others, ranks, pattern, this.#reading))
  }

  /** Every algorithm's continuous run of the same jobs, with the run times that their costs come to. */
  continuous(jobs: ReadonlyArray<Job>, percent: number, seed: number): Readonly<Record<Algorithm, Outcome>> {
    const workload = this.#workload(jobs, percent, seed)
    const byDefault = this.#run('Default', workload)
    const again = (algorithm: Algorithm): Outcome =>
      this.#run(algorithm, workload, this.#times(algorithm, workload, byDefault))
    return { Default: byDefault, Greedy: again('Greedy'), Balanced: again('Balanced'), Adaptive: again('Adaptive') }
  }

  /** What each job that communicates takes, of its time in the log (equation 7): its costs under the algorithm by those by default. */
  #times(algorithm: Algorithm, workload: Workload, byDefault: Outcome): (job: Job) => number {
    const { costs } = this.#run(algorithm, workload)
    return ({ id, communication }) => {
      const found = costs.get(id)
      const before = this.#reading.oldCost === 'default run' ? byDefault.costs.get(id)?.here : found?.byDefault
      return found === undefined || before === undefined ? 1 : this.timeFactor(communication!.share, found.here, before)
    }
  }

  /** @param share of communication in the run time, in 1/1000 */
  timeFactor(share: number, here: ReadonlyArray<number>, before: ReadonlyArray<number>): number {
    const whole = this.#mix.parts.reduce((sum, [, weight]) => sum + weight, 0)
    return this.#mix.parts.reduce((factor, [, weight], at) => {
      if (before[at] === 0) return factor
      return factor + ((share * weight) / whole / 1000) * (here[at] / before[at] - 1)
    }, 1)
  }

  /** The jobs on this machine, those that communicate drawn. */
  scaled(jobs: ReadonlyArray<Job>, percent: number, seed: number): ReadonlyArray<Job> {
    const { scale, share } = this.#reading
    const smaller = jobs.map((job) => ({ ...job, size: Math.max(1, Math.floor(job.size / scale)) }))
    if (share === 'list') return smaller
    return drawCommunication(smaller, { jobs: 10 * percent, pattern: patterns[this.#mix.parts[0][0]], share }, seed)
  }

  #workload(jobs: ReadonlyArray<Job>, percent: number, seed: number): Workload {
    const list = this.scaled(jobs, percent, seed).map((job): Job => ({ ...job, submit: job.submit - jobs[0].submit }))
    return makeWorkload(list, { name: `seed ${seed}`, filter: '' })
  }

  /** @param factorOf the job's time by what the log has; default: 1, and costs are found */
  #run(algorithm: Algorithm, workload: Workload, factorOf?: (job: Job) => number): Outcome {
    // By job: under EASY the kernel also asks what a job would take, and last when it starts.
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
    if (this.#reading.queue === 'reserves nothing') runUnreserved(this.topology, placer, workload, WINDOW, runTimes)
    else runReserved(this.topology, placer, workload, runTimes)
    return { ...sumsOf([...started.values()]), costs, saved }
  }
}

/** When a job started; milliseconds. */
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

/** EASY, which knows how long jobs take in the log. */
function runReserved(topology: Topology, placer: Placer, workload: Workload, runTimes: RunTimes): void {
  simulate({
    topology,
    policyName: '',
    placer,
    workload,
    queue: { order: 'submit', backfill: 'easy', window: WINDOW },
    estimates: 'exact',
    overrun: 'run-on',
    refusals: false,
    recorder: countingRecorder(),
    runTimes,
  })
}
