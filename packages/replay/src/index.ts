export { type Difference, rerun, type Rerun, type RerunResult } from './rerun.ts'
export { explain } from './explain.ts'
export type {
  ChangeCause,
  Explanation,
  Freed,
  JobStart,
  Overtaking,
  ReservationChange,
  Wait,
  WaitingEnd,
} from './explanation.ts'
export type { QueuePlace } from './recorded-queue.ts'
export type { KnownReasons } from './wait-history.ts'
export { recordedInputs, type RecordedInputs } from './recorded-inputs.ts'
export { type Dissent, type Opinion, secondOpinion, type SecondOpinion } from './second-opinion.ts'
export { largestFit, type WaitReason, type WhyWaiting, whyWaiting } from './why-waiting.ts'
