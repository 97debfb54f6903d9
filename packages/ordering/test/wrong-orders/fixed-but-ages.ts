import type { QueueOrder } from '../../src/contract.ts'
import { scoredOrder } from '../sample-orders.ts'

/** Claims fixed scores, but a job that has waited for a day goes first. */
const order: QueueOrder = scoredOrder('fixed-but-ages', { fixed: true }, () => ({ now, waiting }, scores) => {
  for (let row = 0; row < waiting.length; row++)
    scores[row] = now - waiting.submitted[row] > 86_400_000 ? -1 : waiting.size[row]
})
export default order
