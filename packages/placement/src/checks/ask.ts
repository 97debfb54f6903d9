import type { Outcome, Placer, Request } from '../contract.ts'
import type { ClusterState } from '../state.ts'

/**
 * A request as a hand-written test needs it: to start a job of so many nodes at time 0, of which nothing else is known.
 *
 * @param more what the test is about, such as `{ bandwidth: 500 }`
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

/** What a placer answers in a state, to a request or to `request(nodes, more)`. */
export function ask<Index>(
  placer: Placer<Index>,
  state: ClusterState<Index>,
  asked: number | Request,
  more?: Partial<Request>,
): Outcome {
  return placer.place(state, typeof asked === 'number' ? request(asked, more) : asked, state.index)
}
