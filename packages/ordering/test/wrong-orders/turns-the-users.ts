import type { QueueOrder } from '../../src/contract.ts'
import { scoredOrder, writeAged } from '../sample-orders.ts'

/** Reverses the list of the users to find the newest user. */
const order: QueueOrder = scoredOrder('turns-the-users', { fixed: false }, () => (view, scores) => {
  writeAged(view, scores)
  ;(view.users as Array<string>).reverse()
})
export default order
