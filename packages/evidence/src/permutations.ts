import { type AuditReport, LISTED_VIOLATIONS, type Violation } from '@cloister/audit'
import { type Header, type LogRecord, headerTopology, resourcesOf } from '@cloister/eventlog'
import {
  type FlowLimits,
  flowLimitsOf,
  FlowChecker,
  fullBandwidth,
  randomPermutation,
  routePermutation,
} from '@cloister/network'
import type { Topology } from '@cloister/topology'

/** Result of routing random permutations of the nodes of every allocation of a log. */
export interface PermutationAudit {
  /** Number of routed permutations, over all allocations. */
  readonly routed: number
  readonly flows: number
  /** Largest number of flows on a link in one direction. 1 means that no two flows share a direction of a link. */
  readonly largestLoad: number
  readonly violations: ReadonlyArray<Violation>
  /** Reason why routing stopped before the last allocation, or undefined if routing did not stop. */
  readonly open: string | undefined
}

/** Most flows that an audit routes without `--permutations`. */
const FLOWS = 2 ** 25

/**
 * Routes `permutations` random permutations of the nodes of every allocation, to certify full bandwidth or share
 * bandwidth. Every link may carry at most one flow in each direction, or at most as many whole flows as the claim
 * `share_bandwidth` allows, and every used link must belong to the allocation. If no routes can be computed for an
 * allocation, the allocation is a violation with `--permutations`, else the claim stays uncertified.
 */
export class PermutationAuditor {
  readonly #permutations: number
  readonly #isAsked: boolean
  #open: string | undefined
  #topology!: Topology
  #checker!: FlowChecker
  #limits!: FlowLimits
  #routed = 0
  #flows = 0
  #largestLoad = 0
  readonly #violations: Array<Violation> = []

  constructor(permutations: number, isAsked: boolean) {
    this.#permutations = permutations
    this.#isAsked = isAsked
  }

  add(record: LogRecord): void {
    if (record.type === 'header') {
      this.#topology = headerTopology(record)
      const { full_bandwidth: isFull, share_bandwidth: share } = record.policy.claims
      this.#limits = flowLimitsOf(isFull ? undefined : share)
      this.#checker = new FlowChecker(this.#topology, this.#limits)
    }
    if (record.type !== 'allocate' || this.#open !== undefined) return
    const parts = resourcesOf(record)
    const violated = (message: string): void => {
      this.#violations.push({ invariant: 'permutations', seq: record.seq, t: record.t, job: record.job, message })
    }
    const allocation = fullBandwidth(this.#topology, parts, this.#limits)
    const most = this.#flows + this.#permutations * parts.nodes.length
    if ('unproved' in allocation && this.#isAsked)
      return violated(`permutations of the allocation cannot be routed: ${allocation.unproved}`)
    if ('unproved' in allocation)
      return this.#leaveOpen(
        `permutations of the allocation of record ${record.seq} cannot be routed: ${allocation.unproved}`,
      )
    if (!this.#isAsked && most > FLOWS)
      return this.#leaveOpen(
        `the audit routed ${FLOWS} flows, and stopped at record ${record.seq}; --permutations 1 routes all allocations`,
      )
    for (let i = 0; i < this.#permutations; i++) {
      const permutation = randomPermutation(parts.nodes.length, record.seq * this.#permutations + i)
      const { flows, largestLoad, problem } = this.#checker.check(
        parts,
        permutation,
        routePermutation(allocation, permutation),
      )
      this.#routed++
      this.#flows += flows
      this.#largestLoad = Math.max(this.#largestLoad, largestLoad)
      if (problem !== undefined) violated(problem)
    }
  }

  result(): PermutationAudit {
    return {
      routed: this.#routed,
      flows: this.#flows,
      largestLoad: this.#largestLoad,
      violations: this.#violations,
      open: this.#open,
    }
  }

  #leaveOpen(reason: string): void {
    this.#open = reason
  }
}

/**
 * Returns the report of an audit, completed by routing: if the claim of full or share bandwidth is untested, a random
 * permutation of every allocation is routed. A report with violations, on an irregular graph, or on a policy without
 * owned links stays unchanged.
 */
export function certified(report: AuditReport, records: () => Iterable<LogRecord>): AuditReport {
  const permutations = routedWhereOpen(report, records)
  return permutations === undefined ? report : withPermutations(report, permutations)
}

/** Routes a random permutation of each allocation. Undefined unless a claim of bandwidth is untested and can be routed. */
export function routedWhereOpen(report: AuditReport, records: () => Iterable<LogRecord>): PermutationAudit | undefined {
  const isOpen = report.untestedClaims.some(({ claim }) => isOfBandwidth(claim))
  if (!isOpen || report.violations.length > 0) return undefined
  const auditor = new PermutationAuditor(1, false)
  for (const record of records()) {
    if (record.type === 'header' && !canRoute(record)) return undefined
    auditor.add(record)
  }
  return auditor.result()
}

function canRoute({ policy, topology }: Header): boolean {
  return policy.claims.links === 'owned' && !('graph' in topology)
}

function isOfBandwidth(claim: string): boolean {
  return claim === 'full_bandwidth' || claim === 'share_bandwidth'
}

/** Adds the result of routing to an audit's report. After a complete routing, the claimed bandwidth counts as tested. */
export function withPermutations(report: AuditReport, { routed, violations, open }: PermutationAudit): AuditReport {
  const untestedClaims = report.untestedClaims.flatMap((untested) => {
    if (!isOfBandwidth(untested.claim)) return [untested]
    return open === undefined ? (routed === 0 ? [untested] : []) : [{ ...untested, reason: open }]
  })
  return {
    ...report,
    untestedClaims,
    ok:
      violations.length === 0 &&
      report.violations.length === 0 &&
      untestedClaims.length === 0 &&
      report.status === 'whole',
    checked: { ...report.checked, permutations: routed },
    violations: [...report.violations, ...violations.slice(0, LISTED_VIOLATIONS)],
    violationCounts:
      violations.length === 0 ? report.violationCounts : { ...report.violationCounts, permutations: violations.length },
  }
}
