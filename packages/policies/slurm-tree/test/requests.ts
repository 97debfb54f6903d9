import type { Request } from '@cloister/placement'

export function requestFor(nodes: number): Request {
  return {
    purpose: 'start',
    job: `of-${nodes}`,
    nodes,
    now: 0,
    submitted: 0,
    estimate: undefined,
    bandwidth: undefined,
    communication: undefined,
  }
}
