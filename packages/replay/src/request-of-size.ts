import type { Request } from '@cloister/placement'

/** A request that no job made: for so many nodes, and nothing else. */
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
