import type { QueueOrder } from '../../src/contract.ts'
import { scoredOrder } from '../sample-orders.ts'

/** Adds the number of calls so far to the scores of large jobs. */
const order: QueueOrder = scoredOrder('counts-its-calls', { fixed: false }, () => {
  let calls = 0
  return ({ waiting }, scores) => {
    calls++
    for (let row = 0; row < waiting.length; row++) scores[row] = waiting.size[row] > 4 ? calls : waiting.size[row]
  }
})
export default order
