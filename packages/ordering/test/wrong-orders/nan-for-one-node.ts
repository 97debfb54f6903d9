import type { QueueOrder } from '../../src/contract.ts'
import { scoredOrder } from '../sample-orders.ts'

/** Divides the wait by log₂ of the nodes: 0 / 0 for a new job of one node. */
const order: QueueOrder = scoredOrder('nan-for-one-node', { fixed: false }, () => ({ now, waiting }, scores) => {
  for (let row = 0; row < waiting.length; row++) {
    const wait = now - waiting.submitted[row]
    scores[row] = -wait / (Math.log2(waiting.size[row]) * Math.max(waiting.estimate[row], 1000))
  }
})
export default order
