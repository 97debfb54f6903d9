export { givingMatrices, recordedInputs, type RecordedInputs, type Rerun, withMatrices } from './recorded-inputs.ts'
export { type Difference, NotSimulatedError, rerun, type RerunResult } from './rerun.ts'
export {
  askAgain,
  type Halt,
  type Question,
  type RepeatedRerun,
  rerunWithReasons,
  type RerunWithReasons,
} from './ask-again.ts'
export { explain } from './explain.ts'
export type { Offer } from './largest-offer.ts'
export type { KnownReasons } from './wait-history.ts'
export {
  type ChangeCause,
  changeInWords,
  type Accounting,
  type Explanation,
  type Freed,
  type JobStart,
  outcomeInWords,
  type Overtaking,
  type JobMove,
  type LostRoutes,
  type RateChange,
  type ReservationChange,
  type Wait,
  waitInWords,
  type WaitingEnd,
} from './explanation.ts'
export type { QueuePlace } from './recorded-passes.ts'
export {
  compareDecisions,
  type DecisionComparison,
  type DecisionDifference,
  type OtherDecision,
} from './compare-decisions.ts'
export {
  type CapacityMeans,
  capacityMeans,
  CapacityOverTime,
  type CapacityStep,
  type CapacityOptions,
} from './capacity-over-time.ts'
export { fittingSizes, type FittingOptions, type FittingSizes, largestFit, type LargestFit } from './fitting.ts'
export { relief, type Relief, type ReliefOptions } from './relief.ts'
export {
  type FragmentationCause,
  fragmentedNodes,
  type FragmentedNodes,
  type WaitReason,
  type WhyWaiting,
  whyWaiting,
} from './why-waiting.ts'
export { RecordedCluster } from './recorded-cluster.ts'
export { ShadowPolicy, type ShadowPass, type ShadowStart } from './shadow-policy.ts'
