export { type CostedReport, withCosts } from './communication-costs.ts'
export { type RepeatedReport, withRerun } from './log-rerun.ts'
export { type JobsMadeAgain, makeJobsAgain } from './workload-comparison.ts'
export { auditRun, rerunOfRun } from './audit-run.ts'
export {
  certified,
  type PermutationAudit,
  PermutationAuditor,
  routedWhereOpen,
  withPermutations,
} from './permutations.ts'
