import { routerSuite } from '@cloister/placement/testing'
import { dModKRouter, partitionRouter, randomRouter } from '../src/index.ts'

for (const router of [partitionRouter(), dModKRouter, randomRouter]) routerSuite(router)
