import { SpecError } from './spec-error.ts'

/**
 * Rule for the submit times of the jobs of a workload: as in the log (`trace`), all 0 (`zero`), or the submit times in
 * the log multiplied by a factor (`scale:0.5` doubles the load).
 */
export type Arrivals =
  | { readonly kind: 'trace' }
  | { readonly kind: 'zero' }
  | { readonly kind: 'scale'; readonly factor: number }

/** Reads `trace`, `zero` or `scale:FACTOR` (above 0, at most 6 digits and 6 decimals). @throws SpecError otherwise */
export function parseArrivals(text: string): Arrivals {
  if (text === 'trace' || text === 'zero') return { kind: text }
  const [, factor] = /^scale:(\d{1,6}(?:\.\d{1,6})?)$/.exec(text) ?? []
  if (factor === undefined || Number(factor) === 0) {
    throw new SpecError('arrivals', text, `'trace', 'zero' or 'scale:0.5' (a factor above 0 with at most 6 decimals)`)
  }
  return { kind: 'scale', factor: Number(factor) }
}

/** Returns the canonical spec of arrivals; a factor of 1 gives `trace`. */
export function formatArrivals(arrivals: Arrivals): string {
  if (arrivals.kind !== 'scale') return arrivals.kind
  return arrivals.factor === 1 ? 'trace' : `scale:${arrivals.factor}`
}

/** Returns the submit time of a job under some arrivals, in whole ms. `submit` is the submit time in the log, in ms. */
export function arrivalTime(arrivals: Arrivals, submit: number): number {
  if (arrivals.kind === 'zero') return 0
  return arrivals.kind === 'trace' ? submit : Math.round(submit * arrivals.factor)
}
