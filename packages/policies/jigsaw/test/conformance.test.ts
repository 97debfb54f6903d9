import { policySuite } from '@cloister/placement/testing'
import { parseTopology } from '@cloister/topology'
import { jigsaw } from '../src/index.ts'

policySuite(jigsaw, {
  configs: [
    {},
    { order: 'sparsest-first' },
    { leafJobsHoldUplinks: true },
    { maxSteps: 3 },
    { sharing: { capacity: 1500 } },
    { search: 'as-released' },
  ],
  // The first topology has more than 32 up-ports on a leaf, the second on an L2 switch.
  topologies: ['pgft:3;34,2,2;1,34,2;1,1,1', 'pgft:3;2,34,2;1,2,34;1,1,1'].map((spec) => parseTopology(spec)),
})
