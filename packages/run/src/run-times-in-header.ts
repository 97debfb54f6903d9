import type { RunTimesRef } from '@cloister/eventlog'
import type { Claims } from '@cloister/placement'

/** Name of the reference policy. Run times are relative to the placements of this policy. */
export const reference = 'slurm-tree' as const

/** Value of the header's `run_times` if run times follow communication, with the name of the reference policy. */
export const byCommunication: RunTimesRef = `communication:${reference}`

/** Capacities of the links of nodes and of switches for contention: all links have equal capacity. */
const capacities = 'node=1,switch=1'

/**
 * Returns the value of the header's `run_times` for contention: the routes, and the capacities of the links. Jobs with
 * owned links have routes on these links; all other jobs have D-mod-k routes.
 */
export function byContention({ links }: Claims): RunTimesRef {
  return `contention:${links === 'owned' ? 'partition' : 'd-mod-k'}:${capacities}`
}
