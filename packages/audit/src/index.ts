export { auditLog, auditRecords, type InvariantDescription, invariants } from './audit.ts'
export type { UntestedClaim } from './claims.ts'
export { type Breach, type Condition, JigsawConditions } from './invariants/rules/conditions.ts'
export { type AuditReport, exitCode, LISTED_VIOLATIONS, type Violation } from './report.ts'
