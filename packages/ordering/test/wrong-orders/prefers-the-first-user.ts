import type { QueueOrder } from '../../src/contract.ts'
import { scoredOrder } from '../sample-orders.ts'

/** Prefers the user with the lowest number. */
const order: QueueOrder = scoredOrder('prefers-the-first-user', { fixed: false }, () => ({ waiting }, scores) => {
  for (let row = 0; row < waiting.length; row++) scores[row] = waiting.user[row]
})
export default order
