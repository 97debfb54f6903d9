import type { QueueOrder } from '../../src/contract.ts'
import { scoredOrder, writeAged } from '../sample-orders.ts'

/** Breaks ties by a random number. */
const order: QueueOrder = scoredOrder('breaks-ties-at-random', { fixed: false }, () => (view, scores) => {
  writeAged(view, scores)
  for (let row = 0; row < view.waiting.length; row++) scores[row] += Math.random() / 1e9
})
export default order
