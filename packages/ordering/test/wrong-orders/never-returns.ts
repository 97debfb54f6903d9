import type { QueueOrder } from '../../src/contract.ts'
import { scoredOrder } from '../sample-orders.ts'

/** Searches without end in an empty queue. */
const order: QueueOrder = scoredOrder('never-returns', { fixed: false }, () => ({ waiting }, scores) => {
  for (let row = 0; row !== waiting.length || row === 0; row++) scores[row] = waiting.size[row]
})
export default order
