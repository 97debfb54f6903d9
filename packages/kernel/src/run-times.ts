import type { Placement, Request, StateView } from '@cloister/placement'

/**
 * The time that a job takes on a placement, integer milliseconds. SHALL be a function of its arguments alone.
 *
 * @param state in which the placement was found, without the job
 * @param time what the job takes by itself, integer milliseconds
 */
export type RunTimes = (state: StateView, request: Request, placement: Placement, time: number) => number
