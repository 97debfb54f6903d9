export { type CostedReport, withCosts } from './communication-costs.ts'
export { type RepeatedReport, withRerun } from './log-rerun.ts'
export { auditRun, rerunOfRun, withRepeatedRunTimes } from './audit-run.ts'
export {
  certified,
  type PermutationAudit,
  PermutationAuditor,
  routedWhereOpen,
  withPermutations,
} from './permutations.ts'
