export {
  type AuditAsked,
  auditLog,
  type AuditOptions,
  auditRecords,
  type InvariantDescription,
  invariants,
} from './audit.ts'
export { communicationCosts, type CommunicationCost, MatrixMisfitError } from './communication/communication-costs.ts'
export type { UntestedClaim } from './claims.ts'
export { type Breach, type Condition, JigsawConditions } from './invariants/rules/conditions.ts'
export { nestedRemaindersBreach } from './invariants/rules/nested-remainders.ts'
export { type AuditReport, exitCode, LISTED_VIOLATIONS, type Violation } from './report.ts'
