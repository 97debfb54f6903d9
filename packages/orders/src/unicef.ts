import type { QueueOrder } from '@cloister/ordering'
import { log2 } from './logarithms.ts'
import { plainOrder } from './plain.ts'

/**
 * UNICEF: the job with the greatest wait / (log₂(nodes) · estimate) first (Tang, Lan, Desai, Buettner 2009). Favours small
 * and short jobs. A job of one node counts as two nodes, because log₂(1) is 0; an estimate below 1 s counts as 1 s.
 */
export const unicef: QueueOrder = plainOrder('unicef', false, ({ submitted, estimate, size }, row, now) => {
  const wait = now - submitted[row]
  return -(wait / (log2(Math.max(size[row], 2)) * Math.max(estimate[row], 1000)))
})
