import type { Ordering, QueueOrder } from '@cloister/ordering'
import { version } from './version.ts'

/** Options of the order. */
export interface Config {
  /** Wait after which a job is before all jobs that have waited less, in hours. Default 24. */
  readonly patienceHours: number
}

/**
 * Small jobs first, but no job waits for ever. The score of a new job is its nodes, and falls to 0 while the job waits.
 * Jobs with equal scores are in submit order.
 */
export const templated: QueueOrder<Config> = {
  contract: 1,
  name: 'templated',
  version,
  config: { '~standard': { version: 1, vendor: 'templated', validate } },
  make: (_machine, { patienceHours }): Ordering => ({
    claims: { fixed: false },
    score({ now, waiting }, scores) {
      const patience = patienceHours * 3_600_000
      for (let row = 0; row < waiting.length; row++) {
        const wait = Math.min((now - waiting.submitted[row]) / patience, 1)
        scores[row] = waiting.size[row] * (1 - wait)
      }
    },
  }),
}
export default templated

function validate(
  value: unknown,
): { readonly value: Config } | { readonly issues: Array<{ readonly message: string }> } {
  if (typeof value !== 'object' || value === null) return { issues: [{ message: 'expected an object' }] }
  const { patienceHours = 24, ...others } = value as Partial<Config>
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) return { issues: [{ message: `${unknown} is unknown, expected patienceHours` }] }
  if (typeof patienceHours !== 'number' || !(patienceHours > 0) || patienceHours === Infinity)
    return { issues: [{ message: `patienceHours is ${JSON.stringify(patienceHours)}, expected a number above 0` }] }
  return { value: { patienceHours } }
}
