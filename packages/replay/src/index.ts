export type { Rerun } from './rerun-request.ts'
export { type Difference, NotSimulatedError, rerun, type RerunResult } from './rerun.ts'
export { askAgain, type Halt, type Question, type RepeatedRerun } from './ask-again.ts'
export { rerunWithReasons, type RerunWithReasons } from './rerun-with-reasons.ts'
export { explain } from './explain.ts'
export { changeInWords, waitInWords } from './explanation-words.ts'
export type {
  ChangeCause,
  Explanation,
  Freed,
  JobStart,
  Overtaking,
  RateChange,
  ReservationChange,
  Wait,
  WaitingEnd,
} from './explanation.ts'
export { compareDecisions } from './compare-decisions.ts'
export type { DecisionComparison, DecisionDifference, OtherDecision } from './other-decision.ts'
export { largestFit } from './largest-fit.ts'
export { relief, type Relief } from './relief.ts'
export { fittingSizes, type FittingSizes } from './fitting-sizes.ts'
export { type FragmentationCause, fragmentedNodes, type FragmentedNodes } from './fragmented-nodes.ts'
export { type WhyWaiting, whyWaiting } from './why-waiting.ts'
export type { WaitReason } from './wait-probe.ts'
export { RecordedCluster } from './recorded-cluster.ts'
export { recordedInputs, type RecordedInputs } from './recorded-inputs.ts'
export type { QueuePlace } from './recorded-queue.ts'
export type { KnownReasons } from './wait-history.ts'
export { ShadowPolicy, type ShadowPass, type ShadowStart } from './shadow-policy.ts'
export { givingMatrices, withMatrices } from './with-matrices.ts'
