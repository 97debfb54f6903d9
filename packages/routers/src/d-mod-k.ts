import { dModK } from '@cloister/network'
import type { Router } from '@cloister/placement'
import { around, irregular, staticRouter } from './static-router.ts'

/**
 * Router `d-mod-k`: one table for the whole tree, where the destination alone chooses the way up (Zahavi, "D-Mod-K
 * routing providing non-blocking traffic for shift permutations on real life fat trees", 2010). After a failure, entries
 * over failed links get another port of a minimal route.
 */
export const dModKRouter: Router = staticRouter('d-mod-k', (topology) => around(dModK(topology)), irregular)
