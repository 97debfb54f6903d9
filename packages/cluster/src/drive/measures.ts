import { Effect, Metric } from 'effect'
import type { DrivenLog } from './driven-log.ts'
import { isDriven, type Observation } from './observations.ts'

/** Ages of held jobs, in seconds, at which the numbers of held jobs are counted. */
const AGES = [0, 60, 600, 3600, 86_400]

export const measures = {
  records: Metric.counter('cloister_drive_records', { description: 'Records written to the log' }),
  decisions: Metric.counter('cloister_drive_decisions', {
    description: 'Decisions of the policy and the queue discipline: allocations and reservations',
    incremental: true,
  }),
  changes: Metric.counter('cloister_drive_changes', {
    description: 'Changes of jobs that the controller has requested',
  }),
  failedChanges: Metric.counter('cloister_drive_failed_changes', {
    description: 'Changes of jobs that Slurm has refused',
    incremental: true,
  }),
  faults: Metric.counter('cloister_drive_policy_faults', {
    description: 'Faults of the policy, after which the queue is left to Slurm',
    incremental: true,
  }),
  deciding: Metric.histogram('cloister_drive_deciding_ms', {
    description: 'Milliseconds for the events of one poll, from the first record to the last decision',
    boundaries: [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000],
  }),
} as const

const startSeconds = Metric.histogram('cloister_drive_start_seconds', {
  description: 'Seconds from the decision about a job to its start in Slurm',
  boundaries: [1, 2, 5, 10, 30, 60, 120, 300],
})

const heldJobs = AGES.map((age) => ({
  age,
  gauge: Metric.gauge('cloister_drive_held_jobs', {
    description: 'Jobs that are held for the controller, by the least seconds since their submit record',
    attributes: { older_than_seconds: String(age) },
  }),
}))

/** Measures of the jobs that a controller sees at each poll. */
export class JobMeasures {
  readonly #log: DrivenLog
  readonly #partition: string
  /** `seq` of the last start of each running job that was measured, by the name of the job. */
  readonly #started = new Map<string, number>()
  /** First observation of each held job that the log lacks, in ms since t = 0 of the log. */
  readonly #firstSeen = new Map<string, number>()

  constructor(log: DrivenLog, partition: string) {
    this.#log = log
    this.#partition = partition
  }

  look({ jobs, now }: Observation): Effect.Effect<void> {
    const ages = this.#ages(jobs, now)
    const starts = this.#starts(jobs)
    return Effect.gen(function* () {
      for (const { age, gauge } of heldJobs) yield* Metric.update(gauge, ages.filter((each) => each >= age).length)
      for (const start of starts) yield* Metric.update(startSeconds, start)
    })
  }

  /** Returns the ages of the held jobs in seconds. */
  #ages(jobs: Observation['jobs'], now: number): ReadonlyArray<number> {
    const held = jobs.filter((job) => isDriven(job, this.#partition) && job.phase === 'pending' && job.isHeld)
    const ids = new Set(held.map(({ id }) => id))
    for (const id of this.#firstSeen.keys()) if (!ids.has(id)) this.#firstSeen.delete(id)
    return held.map(({ id }) => {
      const { state } = this.#log
      const name = this.#log.nameOf(id) ?? id
      const submit = state.waiting.get(name) ?? state.running.get(name)?.submit
      if (submit !== undefined) return now / 1000 - submit.t
      if (!this.#firstSeen.has(id)) this.#firstSeen.set(id, now)
      return (now - this.#firstSeen.get(id)!) / 1000
    })
  }

  /** Returns the seconds to the start of each job whose start is seen for the first time. */
  #starts(jobs: Observation['jobs']): ReadonlyArray<number> {
    const { running, header } = this.#log.state
    for (const name of this.#started.keys()) if (!running.has(name)) this.#started.delete(name)
    return jobs.flatMap(({ id, phase, start }) => {
      const name = this.#log.nameOf(id)
      const allocate = name === undefined ? undefined : running.get(name)?.allocate
      if (allocate === undefined || phase !== 'running' || start === undefined) return []
      if (this.#started.get(name!) === allocate.seq) return []
      this.#started.set(name!, allocate.seq)
      // Slurm gives times in whole seconds.
      return [Math.max(0, start / 1000 - (header.epoch ?? 0) - ('t' in allocate ? allocate.t : 0))]
    })
  }
}
