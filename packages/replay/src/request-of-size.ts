import type { Request } from '@cloister/placement'

/** Returns a request of no real job, for some nodes and nothing else. */
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
