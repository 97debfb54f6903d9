import type { QueueOrder } from '../../src/contract.ts'
import { scoredOrder } from '../sample-orders.ts'

/** Ranks each job among all places of the arrays, also behind the rows. */
const order: QueueOrder = scoredOrder('trusts-the-arrays', { fixed: false }, () => ({ waiting }, scores) => {
  const sizes = Array.from(waiting.size)
  for (let row = 0; row < waiting.length; row++) scores[row] = sizes.filter((size) => size < waiting.size[row]).length
})
export default order
