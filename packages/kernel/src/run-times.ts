import type { Placement, Request, StateView } from '@cloister/placement'

/**
 * Returns the run time of a job on a placement, integer milliseconds. The result SHALL depend on the arguments only.
 *
 * @param state state in which the policy found the placement, without the job
 * @param time run time of the job without regard to a placement, integer milliseconds
 */
export type RunTimes = (state: StateView, request: Request, placement: Placement, time: number) => number
