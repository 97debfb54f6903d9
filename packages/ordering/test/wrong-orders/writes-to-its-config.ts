import type { QueueOrder } from '../../src/contract.ts'
import { samples } from '../sample-orders.ts'

/** Counts jobs in the config, and the log of a run holds the config. */
const order: QueueOrder = {
  ...samples[0],
  name: 'writes-to-its-config',
  make: (_machine, config) => ({
    claims: { fixed: false },
    score: ({ waiting }, scores) => {
      Object.assign(config, { jobs: waiting.length })
      scores.fill(0, 0, waiting.length)
    },
  }),
}
export default order
