import { SpecError } from './spec-error.ts'

/** When jobs are submitted: as in the log (`trace`), all at time 0 (`zero`), or the log's times multiplied (`scale:0.5` = twice the load). */
export type Arrivals =
  | { readonly kind: 'trace' }
  | { readonly kind: 'zero' }
  | { readonly kind: 'scale'; readonly factor: number }

/** @throws SpecError where the text is none of `trace`, `zero`, `scale:FACTOR` */
export function parseArrivals(text: string): Arrivals {
  if (text === 'trace' || text === 'zero') return { kind: text }
  const [, factor] = /^scale:(\d{1,6}(?:\.\d{1,6})?)$/.exec(text) ?? []
  if (factor === undefined || Number(factor) === 0) {
    throw new SpecError('arrivals', text, `'trace', 'zero' or 'scale:0.5' (a factor above 0 with at most 6 decimals)`)
  }
  return { kind: 'scale', factor: Number(factor) }
}

/** Canonical spec; a scale of 1 is `trace`. */
export function formatArrivals(arrivals: Arrivals): string {
  if (arrivals.kind !== 'scale') return arrivals.kind
  return arrivals.factor === 1 ? 'trace' : `scale:${arrivals.factor}`
}

/** When a job arrives that the log has submitted `submit` milliseconds after its start; rounded to milliseconds. */
export function arrivalTime(arrivals: Arrivals, submit: number): number {
  if (arrivals.kind === 'zero') return 0
  return arrivals.kind === 'trace' ? submit : Math.round(submit * arrivals.factor)
}
