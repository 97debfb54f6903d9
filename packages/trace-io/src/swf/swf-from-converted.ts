import { swfFromWorkload } from './swf-from-workload.ts'
import { makeColumns, type SwfField, type SwfTrace } from './swf.ts'
import type { ConvertedWorkload } from './workload-from-swf.ts'

/** Fields that keep the log's values. Memory and processor time are missing: they are per processor, not per node. */
const kept: ReadonlySet<SwfField> = new Set<SwfField>(['status', 'user', 'group', 'executable', 'queue', 'partition'])

/**
 * Returns the SWF trace of a workload with further values of the log that the workload came from: status, user, group,
 * executable, queue, partition, and the allocated processors in nodes. If jobs arrive as in the log (arrivals `trace`),
 * the trace also has the waits of the log.
 *
 * @throws TraceError for a job id that is no whole number
 */
export function swfFromConverted({ workload, arrivals, origin }: ConvertedWorkload): SwfTrace {
  const plain = swfFromWorkload(workload)
  const { procsPerNode, times = 1 } = origin.sizeRule
  const { wait, allocatedProcs } = origin.trace.columns
  const columns = makeColumns((field) => {
    const own = origin.trace.columns[field]
    if (kept.has(field)) return Float64Array.from(origin.rows, (row) => own[row])
    if (field === 'wait' && arrivals === 'trace') return Float64Array.from(origin.rows, (row) => wait[row])
    if (field !== 'allocatedProcs') return plain.columns[field]
    return Float64Array.from(origin.rows, (row) =>
      allocatedProcs[row] > 0 ? Math.ceil(allocatedProcs[row] / procsPerNode) * times : allocatedProcs[row],
    )
  })
  return { ...plain, columns }
}
