import type { Request } from '@cloister/placement'

/** Returns the request for a job's start of an experiment that has no estimates and no bandwidths. */
export function startRequest(
  job: string,
  nodes: number,
  now: number = 0,
  submitted: number = now,
  communication?: Request['communication'],
): Request {
  return { purpose: 'start', job, nodes, now, submitted, estimate: undefined, bandwidth: undefined, communication }
}
