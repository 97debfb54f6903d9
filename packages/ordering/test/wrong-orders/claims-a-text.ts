import type { QueueOrder } from '../../src/contract.ts'
import { samples } from '../sample-orders.ts'

/** Claims that the scores are fixed with a text instead of true. */
const order: QueueOrder = {
  ...samples[0],
  name: 'claims-a-text',
  make: () => ({ claims: { fixed: 'yes' as never }, score: () => {} }),
}
export default order
