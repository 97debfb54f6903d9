import type { Header } from '@cloister/eventlog'

const ORDER = 'records come when something is learned, not when it happens'
const OUTSIDE = 'what a real machine does follows from no estimate and no option'
const PASSES = 'when the scheduler passes, and on what knowledge, is not in the log'
const UNKNOWN_DISCIPLINE = 'the reservations and the order of another scheduler are as far known as it tells'

/** Invariants that a run of a real machine need not have, and why: whether its scheduler was watched, or driven by this program. */
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

/** Those that the decisions of this program have, but not those of another scheduler that was watched. */
const ofOwnDecisions: Readonly<Record<string, string>> = {
  'routes-paired': ORDER,
  'queue-order': UNKNOWN_DISCIPLINE,
  reservations: UNKNOWN_DISCIPLINE,
  'reservation-free': UNKNOWN_DISCIPLINE,
  'reservations-apart': UNKNOWN_DISCIPLINE,
  backfill: UNKNOWN_DISCIPLINE,
  'backfill-window': UNKNOWN_DISCIPLINE,
}

/** Why an invariant does not apply to a log of such an origin; undefined where it does. */
export function whyNotOf(origin: Header['origin'], invariant: string): string | undefined {
  if (origin === 'simulated') return undefined
  const reason = ofSimulations[invariant] ?? (origin === 'observed' ? ofOwnDecisions[invariant] : undefined)
  return reason === undefined ? undefined : `${reason} (origin: ${origin})`
}
