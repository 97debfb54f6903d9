import type { QueueOrder } from '../../src/contract.ts'
import { scoredOrder } from '../sample-orders.ts'

/** Sorts the sizes of the view in place to find the median. */
const order: QueueOrder = scoredOrder('sorts-the-view', { fixed: false }, () => ({ waiting }, scores) => {
  const sizes = waiting.size as Int32Array
  const own = Array.from(sizes)
  const median = sizes.sort()[waiting.length >> 1]
  for (let row = 0; row < waiting.length; row++) scores[row] = Math.abs(own[row] - median)
})
export default order
