import type { QueueOrder } from '../../src/contract.ts'
import { scoredOrder, writeAged } from '../sample-orders.ts'

/** Clears the whole array of scores, also behind the rows. */
const order: QueueOrder = scoredOrder('fills-all-places', { fixed: false }, () => (view, scores) => {
  scores.fill(0)
  writeAged(view, scores)
})
export default order
