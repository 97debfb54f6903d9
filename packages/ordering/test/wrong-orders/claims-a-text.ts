import type { QueueOrder } from '../../src/contract.ts'
import { samples } from '../sample-orders.ts'

/** Has a text instead of true for the claim fixed. */
const order: QueueOrder = {
  ...samples[0],
  name: 'claims-a-text',
  make: () => ({ claims: { fixed: 'yes' as never }, score: () => {} }),
}
export default order
