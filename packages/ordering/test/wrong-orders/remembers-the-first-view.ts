import type { QueueOrder } from '../../src/contract.ts'
import { scoredOrder } from '../sample-orders.ts'

/** Ages jobs from the first view with the job, not from the submission of the job. */
const order: QueueOrder = scoredOrder('remembers-the-first-view', { fixed: false }, () => {
  const seen = new Map<string, number>()
  return ({ now, waiting }, scores) => {
    for (let row = 0; row < waiting.length; row++) {
      const id = waiting.id[row]
      if (!seen.has(id)) seen.set(id, now)
      scores[row] = seen.get(id)! - now
    }
  }
})
export default order
