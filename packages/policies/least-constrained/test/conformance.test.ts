import { policySuite } from '@cloister/placement/testing'
import { parseTopology } from '@cloister/topology'
import { leastConstrained } from '../src/index.ts'

policySuite(leastConstrained, {
  configs: [
    { maxSteps: 'unlimited' },
    { maxSteps: 'unlimited', anyRemainderPod: true },
    { maxSteps: 3 },
    { sharing: { capacity: 1500 } },
  ],
  // The first topology has more than 32 up-ports on a leaf, the second on an L2 switch.
  topologies: ['pgft:3;34,2,2;1,34,2;1,1,1', 'pgft:3;2,34,2;1,2,34;1,1,1'].map((spec) => parseTopology(spec)),
  histories: 3,
})
