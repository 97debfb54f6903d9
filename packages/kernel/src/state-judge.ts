import { countingRecorder, type LogState, milliseconds, type Submit } from '@cloister/eventlog'
import type { Placer } from '@cloister/placement'
import type { Job } from '@cloister/workload'
import { disciplineOf } from './disciplines/index.ts'
import { labelsOf } from './records.ts'
import type { Verdict } from './refusal-reasons.ts'
import { reservationOf } from './reservation.ts'
import { Scheduler } from './scheduler.ts'
import { loggedQueue, queueOrder } from './scheduling-rules.ts'
import type { Machine } from './setup.ts'
import type { RunTimes } from './simulation.ts'

/** Policy for a `StateJudge`. */
export interface JudgedPolicy<Index> {
  readonly placer: Placer<Index>
  /** Run times by placement, from the option `runTimes` of the log. Default: the same run time everywhere. */
  readonly runTimes?: RunTimes | undefined
  /** Greatest number of calls of the policy's `place`. Default: no limit. */
  readonly mostQuestions?: number
}

/**
 * The scheduler in one state of a log, with any policy. It answers for each waiting job whether the next scheduling
 * pass would start the job. Under an external queue, a pass tries every job, and only the reservation of the head
 * counts.
 */
export class StateJudge<Index> {
  /** Waiting jobs in queue order. */
  readonly waiting: ReadonlyArray<Submit>
  readonly #scheduler: Scheduler<Index>
  readonly #numbers: ReadonlyMap<string, number>

  /** @throws PolicyFaultError if the policy fails at the request key of a waiting job */
  constructor(state: LogState, { placer, runTimes, mostQuestions }: JudgedPolicy<Index>) {
    const { options } = state.header
    const logged = loggedQueue(options)
    const queue =
      logged.backfill === 'external' ? ({ order: 'submit', backfill: 'easy', window: Infinity } as const) : logged
    const waiting = [...state.waiting.values()].sort((a, b) => a.seq - b.seq)
    const submits = [...waiting, ...Array.from(state.running.values(), ({ submit }) => submit)]
    const jobs = submits.map(jobOf)
    this.#numbers = new Map(submits.map(({ job }, number) => [job, number]))
    const order = queueOrder(jobs.slice(0, waiting.length), queue.order, 'requested')
    this.waiting = Array.from(order, (number) => waiting[number])
    const setup = {
      topology: state.topology,
      policyName: 'that is asked',
      placer,
      queue,
      estimates: 'requested',
      refusals: false,
      recorder: countingRecorder(),
      ...(mostQuestions === undefined ? {} : { mostQuestions }),
    } as const
    const varies = runTimes !== undefined && options.estimates === 'exact'
    const machine: Machine = {
      estimateOn: varies ? (job, ...of) => runTimes(...of, jobs[job].walltime ?? Infinity) : undefined,
      start: () => undefined,
      onStart: () => {},
      onRelease: () => {},
    }
    const instant = { now: milliseconds(state.t), cause: 0, pass: 0 }
    this.#scheduler = new Scheduler(setup, jobs, instant, machine, disciplineOf)
    this.#scheduler.restore(state, (job) => this.#numbers.get(job)!)
    this.#scheduler.extendOverruns()
    for (const reserve of state.reservations.values()) {
      const job = this.#numbers.get(reserve.job)!
      this.#scheduler.adoptReservation({ ...reservationOf(reserve), job, seq: reserve.seq })
    }
  }

  /** Number of jobs, from the head on, that a scheduling pass tries; Infinity for an external scheduler. */
  get tried(): number {
    return this.#scheduler.tried
  }

  /** @throws PolicyFaultError */
  judge(job: string): Verdict {
    return this.#scheduler.judge(this.#numbers.get(job)!)
  }
}

function jobOf(submit: Submit): Job {
  const { job, t, size, estimate } = submit
  const walltime = estimate === undefined ? undefined : milliseconds(estimate)
  return { id: job, submit: milliseconds(t), size, walltime, runTime: Infinity, ...labelsOf(submit) }
}
