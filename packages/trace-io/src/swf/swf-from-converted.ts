import { swfFromWorkload } from './swf-from-workload.ts'
import { makeColumns, type SwfField, type SwfTrace } from './swf.ts'
import type { ConvertedWorkload } from './workload-from-swf.ts'

/** What stays as the log has it. Memory and processor time are of processors, and are left out where nodes stand for them. */
const kept: ReadonlySet<SwfField> = new Set<SwfField>(['status', 'user', 'group', 'executable', 'queue', 'partition'])

/**
 * The SWF trace of a workload with what else its log says of the jobs: status, user, group, application, queue and partition; the wait
 * where jobs arrive as in the log; the allocated processors in nodes.
 *
 * @throws TraceError as `swfFromWorkload`
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
