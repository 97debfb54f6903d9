import type { QueueOrder } from '../../src/contract.ts'
import { scoredOrder } from '../sample-orders.ts'

/** Ends the loop one row too late. */
const order: QueueOrder = scoredOrder('writes-a-place-too-many', { fixed: false }, () => ({ now, waiting }, scores) => {
  for (let row = 0; row <= waiting.length; row++) scores[row] = now
})
export default order
