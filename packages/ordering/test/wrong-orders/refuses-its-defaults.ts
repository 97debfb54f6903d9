import type { QueueOrder } from '../../src/contract.ts'
import { samples } from '../sample-orders.ts'

/** Fills in a default, and refuses a config with the default, although logs have such configs. */
const order: QueueOrder = {
  ...samples[0],
  name: 'refuses-its-defaults',
  config: {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value) =>
        JSON.stringify(value) === '{}' ? { value: { weight: 1 } as never } : { issues: [{ message: 'expected {}' }] },
    },
  },
}
export default order
