import { policySuite } from '@cloister/placement/testing'
import { laas } from '../src/index.ts'

policySuite(laas, {
  configs: [
    {},
    { order: 'sparsest-first' },
    { leafJobsHoldUplinks: true },
    { maxSteps: 3 },
    { sharing: { capacity: 1500 } },
    { search: 'as-released' },
  ],
})
