import type { Header } from '@cloister/eventlog'

const ORDER = 'a record stands where the writer learned of an event, not where the event happened'
const OUTSIDE = 'the events of a real machine follow from no estimate and no option'
const PASSES = "the log does not show the times of the scheduling passes and the scheduler's knowledge"
const UNKNOWN_DISCIPLINE = 'the log has only the reservations and the order that a foreign scheduler reported'

/** Invariants that apply only to simulated logs, each with the reason why logs of real machines are exempt. */
const ofSimulations: Readonly<Record<string, string>> = {
  'instant-order': ORDER,
  'workload-count': 'the number of jobs is not known when the log of a real machine begins',
  totals: 'the end record does not count withdrawn starts and kills',
  'finish-time': OUTSIDE,
  'node-down-kills': OUTSIDE,
  requeues: OUTSIDE,
  'head-reserved': PASSES,
  'window-reserved': PASSES,
  'reservation-start': PASSES,
  'reservation-moves': PASSES,
  'reservation-on-time': PASSES,
  'reservation-kills': PASSES,
  'backfill-no-delay': PASSES,
  'easy-first-reservation': PASSES,
  'conservative-first-reservation': PASSES,
}

/** Invariants that apply to simulated and driven logs only, each with the reason why observed logs are exempt. */
const ofOwnDecisions: Readonly<Record<string, string>> = {
  'routes-paired': ORDER,
  'queue-order': UNKNOWN_DISCIPLINE,
  reservations: UNKNOWN_DISCIPLINE,
  'reservation-free': UNKNOWN_DISCIPLINE,
  'reservations-apart': UNKNOWN_DISCIPLINE,
  backfill: UNKNOWN_DISCIPLINE,
  'backfill-window': UNKNOWN_DISCIPLINE,
}

/** Returns the reason why an invariant does not apply to logs of the origin; undefined if the invariant applies. */
export function whyNotOf(origin: Header['origin'], invariant: string): string | undefined {
  if (origin === 'simulated') return undefined
  const reason = ofSimulations[invariant] ?? (origin === 'observed' ? ofOwnDecisions[invariant] : undefined)
  return reason === undefined ? undefined : `${reason} (origin: ${origin})`
}
