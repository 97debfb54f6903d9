import type { Header } from '@cloister/eventlog'

const ORDER = 'records come when something is learned, not when it happens'
const OUTSIDE = 'what a real machine does follows from no estimate and no option'
const PASSES = 'when the scheduler passes, and on what knowledge, is not in the log'
const UNKNOWN_DISCIPLINE = 'the reservations and the order of another scheduler are as far known as it tells'

/** Invariants that a run of a real machine need not keep, with reasons. They apply to `simulated` logs only. */
const ofSimulations: Readonly<Record<string, string>> = {
  'instant-order': ORDER,
  'workload-count': 'the jobs that will come are not known when the log begins',
  totals: 'what was withdrawn is no start and no kill to count',
  'finish-time': OUTSIDE,
  'node-down-kills': OUTSIDE,
  requeues: OUTSIDE,
  'head-reserved': PASSES,
  'window-reserved': PASSES,
  'reservation-start': PASSES,
  'reservation-moves': PASSES,
  'reservation-kept': PASSES,
  'reservation-kills': PASSES,
  'backfill-no-delay': PASSES,
  'easy-first-reservation': PASSES,
  'conservative-first-reservation': PASSES,
}

/** Invariants that `driven` logs keep too, but `observed` logs of another scheduler need not keep, with reasons. */
const ofOwnDecisions: Readonly<Record<string, string>> = {
  'routes-paired': ORDER,
  'queue-order': UNKNOWN_DISCIPLINE,
  reservations: UNKNOWN_DISCIPLINE,
  'reservation-free': UNKNOWN_DISCIPLINE,
  'reservations-apart': UNKNOWN_DISCIPLINE,
  backfill: UNKNOWN_DISCIPLINE,
  'backfill-window': UNKNOWN_DISCIPLINE,
}

/** Returns the reason why an invariant does not apply to logs of the origin; undefined if it applies. */
export function whyNotOf(origin: Header['origin'], invariant: string): string | undefined {
  if (origin === 'simulated') return undefined
  const reason = ofSimulations[invariant] ?? (origin === 'observed' ? ofOwnDecisions[invariant] : undefined)
  return reason === undefined ? undefined : `${reason} (origin: ${origin})`
}
