import type { RunTimesRef } from '@cloister/eventlog'
import type { Claims } from '@cloister/placement'

/** The policy against whose placements run times are taken. */
export const reference = 'slurm-tree' as const

/** How a log's header says that run times follow communication: against which policy's placement. */
export const byCommunication: RunTimesRef = `communication:${reference}`

/** How it says that they follow from contention: by which routes, over links of which capacities. */
const capacities = 'node=1,switch=1'

/** Every link carries as much as any other; jobs that own their links keep to them, others go by D-mod-k. */
export function byContention({ links }: Claims): RunTimesRef {
  return `contention:${links === 'owned' ? 'partition' : 'd-mod-k'}:${capacities}`
}
