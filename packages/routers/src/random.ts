import { randomUpPorts } from '@cloister/network'
import type { Router } from '@cloister/placement'
import { around, irregular, staticRouter } from './static-router.ts'

/**
 * Router `random`: each switch sends messages for a destination up by a random port, with seed 1 of `randomUpPorts`.
 * After a failure, entries over failed links get another port of a minimal route.
 */
export const randomRouter: Router = staticRouter('random', (topology) => around(randomUpPorts(topology, 1)), irregular)
