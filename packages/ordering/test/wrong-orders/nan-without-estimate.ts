import type { QueueOrder } from '../../src/contract.ts'
import { scoredOrder } from '../sample-orders.ts'

/** Multiplies the wait by the estimate: 0 · Infinity for a new job without an estimate. */
const order: QueueOrder = scoredOrder('nan-without-estimate', { fixed: false }, () => ({ now, waiting }, scores) => {
  for (let row = 0; row < waiting.length; row++) scores[row] = (now - waiting.submitted[row]) * waiting.estimate[row]
})
export default order
