export { drawn, type FuzzCase, fuzzCases, specOf, type Subject, subjectsOf } from './cases.ts'
export { type Checked, checkRun, type Fault, type Tester } from './check-run.ts'
export {
  type FoundFault,
  type FuzzOutcome,
  fuzzPolicies,
  type Limits,
  type RunServices,
  type SearchOptions,
} from './campaign.ts'

export { type AcceptedLie, forgeLogs, type ForgerOutcome } from './forger.ts'
export { type ForgedFault, type ForgingOutcome, fuzzLogs } from './forged-logs.ts'
export {
  auditForged,
  type Consumers,
  type ForgedLog,
  type Misreading,
  misreading,
  readAll,
  rerunForged,
} from './misreading.ts'
export { resealed } from './mutations.ts'

export {
  FaultLostError,
  judge,
  type Judged,
  kindOf,
  minimise,
  type Minimised,
  type MinimiseOptions,
} from './minimise.ts'
export { faultyRun } from './faulty-log.ts'
export { filesOf, prepareSmall, type RunFile, type SmallRun, specIn } from './small-run.ts'

export {
  type Asked,
  choose,
  type Chosen,
  type Decision,
  isAsDecided,
  isDecision,
  type Moment,
  momentAt,
  questionsOf,
} from './decision.ts'
export { type TestFile, testFile } from './test-file.ts'
