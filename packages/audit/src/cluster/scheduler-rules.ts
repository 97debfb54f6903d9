import type { OptionsRef } from '@cloister/eventlog'

/** Queue discipline of a run, read by the auditor from the options in the header. */
export interface QueueRules {
  readonly order: 'submit' | 'estimate' | 'size'
  /** `none`: first come, first served. `external`: the unknown discipline of a foreign scheduler. */
  readonly backfill: 'none' | 'easy' | 'conservative' | 'external'
  readonly window?: number
  readonly kill?: true
  /**
   * `movable` if reservations may move to other nodes and links. Absent if reservations are fixed, or the discipline
   * has none.
   */
  readonly reservation?: 'movable'
  readonly windowOrder?: NonNullable<OptionsRef['windowOrder']>
}

/** Rules of the scheduler, read by the auditor from the options in the header. */
export interface SchedulerRules {
  readonly queue: QueueRules
  readonly requeue: boolean
  readonly estimates: OptionsRef['estimates']
  readonly overrun: 'run-on' | 'kill'
  readonly runTimes: 'fixed' | NonNullable<OptionsRef['runTimes']>
  /** Router of the forwarding tables; undefined if the log has no route records. */
  readonly router: string | undefined
  readonly refusals: boolean
}

/** Returns the rules of the scheduler from the options of a header, with the defaults of SPEC.md for absent options. */
export function schedulerRules(options: OptionsRef): SchedulerRules {
  const { requeue = false, estimates, overrun, runTimes = 'fixed', router, refusals = false } = options
  const runsOn = overrun === 'run-on' || overrun === 'extend'
  return {
    queue: queueRules(options),
    requeue,
    estimates,
    overrun: runsOn ? 'run-on' : 'kill',
    runTimes,
    router,
    refusals,
  }
}

function queueRules({ queue: spelled, reservation, windowOrder }: OptionsRef): QueueRules {
  const [discipline, ...words] = spelled.split(',')
  const [name, window] = discipline.split(':')
  const backfill = name === 'easy' || name === 'conservative' || name === 'external' ? name : 'none'
  const order = words.includes('sjf') ? 'estimate' : words.includes('smallest') ? 'size' : 'submit'
  if (window === undefined) return { order, backfill }
  const kills = words.includes('kill')
  return {
    order,
    backfill,
    window: Number(window),
    ...(kills ? { kill: true } : {}),
    ...(reservation === 'fixed' || kills ? {} : { reservation: 'movable' }),
    ...(windowOrder === undefined ? {} : { windowOrder }),
  }
}
