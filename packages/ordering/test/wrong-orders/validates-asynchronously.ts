import type { QueueOrder } from '../../src/contract.ts'
import { samples } from '../sample-orders.ts'

/** Validates the config asynchronously. */
const order: QueueOrder = {
  ...samples[0],
  name: 'validates-asynchronously',
  config: { '~standard': { version: 1, vendor: 'test', validate: async () => ({ value: {} }) } },
}
export default order
