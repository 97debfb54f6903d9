import type { QueueOrder } from '../../src/contract.ts'
import { scoredOrder } from '../sample-orders.ts'

/** Writes no score for jobs of the whole machine. */
const order: QueueOrder = scoredOrder('forgets-large-jobs', { fixed: true }, (nodes) => ({ waiting }, scores) => {
  for (let row = 0; row < waiting.length; row++) if (waiting.size[row] !== nodes) scores[row] = waiting.size[row]
})
export default order
