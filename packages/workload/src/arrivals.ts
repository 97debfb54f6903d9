import { SpecError } from './spec-error.ts'

/**
 * Submit times of the jobs: as in the log (`trace`), all 0 (`zero`), or the log's times multiplied by a factor
 * (`scale:0.5` doubles the load).
 */
export type Arrivals =
  | { readonly kind: 'trace' }
  | { readonly kind: 'zero' }
  | { readonly kind: 'scale'; readonly factor: number }

/**
 * Reads `trace`, `zero` or `scale:FACTOR`, a factor above 0 with at most 6 digits before and 6 after the point.
 *
 * @throws SpecError for any other text
 */
export function parseArrivals(text: string): Arrivals {
  if (text === 'trace' || text === 'zero') return { kind: text }
  const [, factor] = /^scale:(\d{1,6}(?:\.\d{1,6})?)$/.exec(text) ?? []
  if (factor === undefined || Number(factor) === 0) {
    throw new SpecError('arrivals', text, `'trace', 'zero' or 'scale:0.5' (a factor above 0 with at most 6 decimals)`)
  }
  return { kind: 'scale', factor: Number(factor) }
}

/** Returns the canonical spec; a scale of 1 gives `trace`. */
export function formatArrivals(arrivals: Arrivals): string {
  if (arrivals.kind !== 'scale') return arrivals.kind
  return arrivals.factor === 1 ? 'trace' : `scale:${arrivals.factor}`
}

/** Returns the submit time of a job in whole ms. `submit` is the job's time in the log, in ms since the log's start. */
export function arrivalTime(arrivals: Arrivals, submit: number): number {
  if (arrivals.kind === 'zero') return 0
  return arrivals.kind === 'trace' ? submit : Math.round(submit * arrivals.factor)
}
