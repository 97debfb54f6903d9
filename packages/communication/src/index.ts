/** Communication of jobs: its patterns and its cost, and placement and mapping by communication. */
export {
  gridOf,
  mostPairs,
  type Pair,
  type Pattern,
  type PatternName,
  patternNames,
  patternOf,
  type PatternPart,
  patternParts,
} from './patterns.ts'
export { type Mesh, periodicStencil, type RankGrid, rowsAllToAll, unstructuredMesh } from './proxies.ts'
export { type Halo, haloMatrix, halos, MatrixError, matrixPattern, parseHalo, parseMatrix } from './matrices.ts'
export {
  type CommunicatingOnLeaf,
  communicationCost,
  contention,
  type CostMeasure,
  costMeasures,
  distance,
  effectiveHops,
} from './cost.ts'
export { adjustedRunTime, jobCosts, type JobCommunication, runTimeOn, scaledRunTime } from './run-time.ts'
export {
  averagePairwiseHops,
  type Communication,
  type HopBytes,
  hopBytes,
  leafDistances,
  type Traffic,
  trafficOf,
} from './hop-bytes.ts'
export { combalLeaves, type CombalOptions, combalOrder, type Divisions, type LeafCapacity } from './combal.ts'
export { identity, topomatch } from './mappers.ts'
export { edgeCut, evenSizes, type Graph, graphOf, type PartSize } from './graph-partition/graph.ts'
export { partition } from './graph-partition/partition.ts'
export {
  byCommunicationRatio,
  communicationRatio,
  type Divide,
  fewestFreeFirst,
  fillLeaves,
  type LeafChoice,
  LeafHeap,
  leafRanks,
  leafTies,
  LowestSwitchPlacer,
  powersOfTwo,
  ranksOnLeaves,
} from './lowest-switch.ts'
