import type { Outcome, Placer, Request } from '../contract.ts'
import type { ClusterState } from '../state.ts'

/**
 * Returns a request for a test: job `a` asks for `nodes` nodes at time 0, without estimate, bandwidth and
 * communication.
 *
 * @param more fields of the request that replace the defaults, such as `{ bandwidth: 500 }`
 */
export function request(nodes: number, more: Partial<Request> = {}): Request {
  return {
    purpose: 'start',
    job: 'a',
    nodes,
    now: 0,
    submitted: 0,
    estimate: undefined,
    bandwidth: undefined,
    communication: undefined,
    ...more,
  }
}

/** Calls `place` of a placer in a state. `asked` is a request, or a number of nodes for `request(asked, more)`. */
export function ask<Index>(
  placer: Placer<Index>,
  state: ClusterState<Index>,
  asked: number | Request,
  more?: Partial<Request>,
): Outcome {
  return placer.place(state, typeof asked === 'number' ? request(asked, more) : asked, state.index)
}
