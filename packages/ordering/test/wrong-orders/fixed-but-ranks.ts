import type { QueueOrder } from '../../src/contract.ts'
import { scoredOrder } from '../sample-orders.ts'

/** Claims fixed scores, but the score is the rank among the waiting jobs. */
const order: QueueOrder = scoredOrder('fixed-but-ranks', { fixed: true }, () => ({ waiting }, scores) => {
  for (let row = 0; row < waiting.length; row++) {
    scores[row] = 0
    for (let other = 0; other < waiting.length; other++) if (waiting.size[other] < waiting.size[row]) scores[row]++
  }
})
export default order
