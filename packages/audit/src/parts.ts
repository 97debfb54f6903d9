import type { Header } from '@cloister/eventlog'

const LEFT_OUT = 'a part may lack causes and earlier records of the run'

/** Invariants that need the log of a whole run, each with the reason. */
const ofWholeRuns: Readonly<Record<string, string>> = {
  causes: LEFT_OUT,
  'head-reserved': LEFT_OUT,
  'window-reserved': LEFT_OUT,
  'reservation-start': LEFT_OUT,
  'reservation-moves': LEFT_OUT,
  'reservation-on-time': LEFT_OUT,
  'reservation-kills': LEFT_OUT,
  'backfill-no-delay': LEFT_OUT,
  'easy-first-reservation': LEFT_OUT,
  'conservative-first-reservation': LEFT_OUT,
  'workload-count': 'the header counts the jobs of the whole run',
}

/** Returns the reason why an invariant does not apply to the log of a part of a run; undefined for other invariants. */
export function whyNotOfPart({ part }: Header, invariant: string): string | undefined {
  const reason = part === undefined ? undefined : ofWholeRuns[invariant]
  return reason === undefined ? undefined : `${reason} (a part of a run: ${part!.from} s to ${part!.until} s)`
}
