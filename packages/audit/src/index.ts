export {
  type AuditAsked,
  auditLog,
  type AuditOptions,
  auditRecords,
  type InvariantDescription,
  invariants,
} from './audit.ts'
export { communicationCosts, type CommunicationCost, MatrixMisfitError } from './communication-costs.ts'
export type { Breach, Condition } from './invariants/allocation-shape.ts'
export { JigsawConditions } from './invariants/jigsaw-conditions.ts'
export { nestedRemaindersBreach } from './invariants/nested-remainders.ts'
export { isUnnoticed, type UnnoticedChanges, unnoticedChanges } from './unnoticed-changes.ts'
export { type AuditReport, exitCode, LISTED_VIOLATIONS, type UntestedClaim, type Violation } from './report.ts'
