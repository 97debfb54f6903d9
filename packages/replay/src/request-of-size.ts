import type { Request } from '@cloister/placement'

/**
 * Returns a request for a given number of nodes, without estimate, bandwidth and communication, that belongs to no job
 * of the log.
 */
export function requestOfSize({ now }: { readonly now: number }, nodes: number): Request {
  return {
    purpose: 'start',
    job: '',
    nodes,
    now,
    submitted: now,
    estimate: undefined,
    bandwidth: undefined,
    communication: undefined,
  }
}
