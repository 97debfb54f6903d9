export type {
  Cancellation,
  NotPlacedJobs,
  Outage,
  QueueDiscipline,
  QueueOrder,
  RefusalReason,
  Routing,
  Simulation,
  Summary,
  TimeLimit,
} from './simulation.ts'
export { type FaultCode, PolicyFaultError } from './policy-fault.ts'
export { TooManyQuestionsError } from './question-limit.ts'
export { simulate } from './simulate.ts'
export { type LiveJob, liveJobOf, type LiveRules, LiveScheduler } from './live-scheduler.ts'
export { labelsOf } from './submitted-job.ts'
export type { Durations } from './durations.ts'
export type { Contention, RateChange } from './contention.ts'
export type { RunTimes } from './run-times.ts'
export { estimateOf, queueOrder } from './queue-order.ts'
export { describePolicy, describeRun, type RunDescription } from './header.ts'
export {
  effectiveOptions,
  type ExternalQueue,
  formatDiscipline,
  type LoggedQueue,
  loggedQueue,
  optionsOfRules,
  overrunInRun,
  parseDiscipline,
  type QueueOptions,
  queueOptions,
  type SchedulingRules,
  schedulingRules,
} from './scheduling-rules.ts'
// Parts of the scheduler that are needed to ask a policy about the states of a log.
export { OVERRUN_GRACE_MS } from './dispatcher.ts'
export { leastMovingSize } from './disciplines/least-moving-size.ts'
export { KnownRefusals } from './known-refusals.ts'
export { PolicyCalls, requestAsJson } from './policy-calls.ts'
export { RequestKeys } from './request-keys.ts'
export { placementBeside, type Reservation, stateWithReservation } from './reservation.ts'
export { WaitingJobs } from './waiting-jobs.ts'
