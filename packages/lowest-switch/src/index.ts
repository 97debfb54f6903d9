/**
 * Placement below the lowest switch with enough free nodes, and ways to divide a job among the leaves below this
 * switch.
 */
export { byCommunicationRatio, communicationRatio } from './divide/communication-ratio.ts'
export { fillLeaves } from './divide/fill-leaves.ts'
export { powersOfTwo } from './divide/powers-of-two.ts'
export { LeafHeap } from './leaf-heap.ts'
export { type Divide, LowestSwitchPlacer, ranksOnLeaves } from './lowest-switch-placer.ts'
