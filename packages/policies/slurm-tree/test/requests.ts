import type { Request } from '@cloister/placement'

export function requestFor(nodes: number): Request {
  return {
    purpose: 'start',
    job: `of-${nodes}`,
    nodes,
    now: 0,
    walltime: undefined,
    bandwidth: undefined,
    communication: undefined,
  }
}
