import type { QueueOrder } from '@cloister/ordering'
import { plainOrder } from './plain.ts'

/**
 * WFP3: the job with the greatest (wait / estimate)³ · nodes first (Tang, Lan, Desai, Buettner 2009). Favours large jobs
 * and jobs that have waited long for their length. An estimate below 1 s counts as 1 s.
 */
export const wfp: QueueOrder = plainOrder('wfp', false, ({ submitted, estimate, size }, row, now) => {
  const slowdown = (now - submitted[row]) / Math.max(estimate[row], 1000)
  return -(slowdown * slowdown * slowdown * size[row])
})
