export type { Cancellation, NotPlacedJobs, Outage, Simulation, Summary } from './simulation.ts'
export type { Contention, Durations, RateChange, RunTimes } from './simulation.ts'
export type { RefusalReason, Routing, TimeLimit } from './setup.ts'
export { type FaultCode, PolicyFaultError, requestAsJson, TooManyQuestionsError } from './policy-fault.ts'
export { simulate } from './simulate.ts'
export { type LiveJob, liveJobOf, type LiveRules, LiveScheduler } from './live-scheduler.ts'
export {
  describeOrder,
  describePolicy,
  describeRouter,
  describeRun,
  jobOfRecord,
  labelsOf,
  type RunDescription,
  submitRecordOf,
  submitsSha256,
} from './records.ts'
export {
  effectiveOptions,
  estimateOf,
  type ExternalQueue,
  formatDiscipline,
  type LoggedQueue,
  loggedQueue,
  mayMigrate,
  optionsOfRules,
  overrunInRun,
  parseDiscipline,
  type QueueDiscipline,
  type QueueOptions,
  queueOptions,
  type SchedulingRules,
  schedulingRules,
  triedJobs,
} from './scheduling-rules.ts'
// Parts of the scheduler that are needed to ask a policy about the states of a log.
export { OVERRUN_GRACE_MS } from './running-jobs.ts'
export { GuardedPolicy } from './guarded-policy.ts'
export type { Verdict } from './refusal-reasons.ts'
export { type AskedPolicy, LogScheduler } from './log-scheduler.ts'
export { loggedOrder, UnknownOrderError } from './logged-order.ts'
export { OrderFaultError } from './order-fault.ts'
export { OrderedQueue } from './ordered-queue.ts'
