export {
  type Capacities,
  DirectedLinks,
  type FlowPath,
  type FlowPaths,
  FlowPathsBuilder,
  routedPaths,
  sharingComponents,
  SpreadLinks,
} from './flow-paths.ts'
export { type IteratingJob, iterationTimes, type Messages, type Network } from './iterations.ts'
export { type JobLoads, jobLoads, type JobSpeed, type Sending, SharingJobs } from './sharing-jobs.ts'
export { maxMinRates, MaxMinSharing } from './max-min.ts'
export { dModK, fabricRoutes, type Follow, followOn, randomUpPorts, RoutingError } from './routes.ts'
export { partitionRouter, type RouteLimits, routesOfLog } from './partition-router.ts'
export { type FlowLimits, flowLimitsOf, type FullBandwidth, fullBandwidth } from './full-bandwidth.ts'
export {
  bitReversal,
  type FlowCheck,
  FlowChecker,
  type FlowLinks,
  randomPermutation,
  routePermutation,
  shift,
} from './permutation-routes.ts'
export {
  allToAll,
  type JobLoad,
  type LinkLoad,
  LinkLoads,
  type LoadReport,
  matrixTraffic,
  permuted,
  type Traffic,
} from './loads.ts'
