import type { QueueOrder } from '../../src/contract.ts'
import { scoredOrder } from '../sample-orders.ts'

/** Scores as many rows as the arrays are long, and ranks each job among all of them. */
const order: QueueOrder = scoredOrder('trusts-the-arrays', { fixed: false }, () => ({ waiting }, scores) => {
  const sizes = Array.from(waiting.size)
  for (let row = 0; row < waiting.length; row++) scores[row] = sizes.filter((size) => size < waiting.size[row]).length
})
export default order
