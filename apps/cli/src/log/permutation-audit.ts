import type { AuditReport, Violation } from '@cloister/audit'
import { LISTED_VIOLATIONS } from '@cloister/audit'
import { type Header, type LogRecord, headerTopology, resourcesOf } from '@cloister/eventlog'
import { FlowChecker, fullBandwidth, randomPermutation, routePermutation } from '@cloister/routing'
import type { Topology } from '@cloister/topology'

/** What routing random permutations over every allocation has shown. */
export interface PermutationAudit {
  /** Permutations routed. */
  readonly routed: number
  readonly flows: number
  /** Most flows on any link and direction: 1 is no contention. */
  readonly largestLoad: number
  readonly violations: ReadonlyArray<Violation>
  /** Why full bandwidth is not certified, though nothing was violated. */
  readonly open: string | undefined
}

/** Flows that are routed where nobody asked for it. */
const FLOWS = 2 ** 25

/**
 * Certifies full bandwidth by routing: for every allocation that owns links, `permutations` random permutations of its
 * nodes, each with at most one flow on every link and direction, every link the allocation's own. Not to have found how to
 * route an allocation is no proof against it: it is a violation only for those who asked for permutations.
 */
export class PermutationAuditor {
  readonly #permutations: number
  readonly #isAsked: boolean
  #open: string | undefined
  #topology!: Topology
  #checker!: FlowChecker
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
      this.#checker = new FlowChecker(this.#topology)
    }
    if (record.type !== 'allocate' || this.#open !== undefined) return
    const parts = resourcesOf(record)
    const violated = (message: string): void => {
      this.#violations.push({ invariant: 'permutations', seq: record.seq, t: record.t, job: record.job, message })
    }
    const allocation = fullBandwidth(this.#topology, parts)
    const most = this.#flows + this.#permutations * parts.nodes.length
    if ('unproved' in allocation && this.#isAsked) return violated(`no routes for permutations: ${allocation.unproved}`)
    if ('unproved' in allocation)
      return this.#leaveOpen(`no way is known to route the allocation of record ${record.seq}: ${allocation.unproved}`)
    if (!this.#isAsked && most > FLOWS)
      return this.#leaveOpen(`${FLOWS} flows were routed up to record ${record.seq}; --permutations 1 routes all`)
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

/** A report in which full bandwidth that no rule proves is tested by routing a permutation of every allocation, where it owns its links. */
export function certified(report: AuditReport, records: () => Iterable<LogRecord>): AuditReport {
  const permutations = routedWhereOpen(report, records)
  return permutations === undefined ? report : withPermutations(report, permutations)
}

/** A permutation of every allocation, routed; undefined where full bandwidth needs no such test, or cannot be tested so. */
export function routedWhereOpen(report: AuditReport, records: () => Iterable<LogRecord>): PermutationAudit | undefined {
  const isOpen = report.untestedClaims.some(({ claim }) => claim === 'full_bandwidth')
  if (!isOpen || report.violations.length > 0) return undefined
  const auditor = new PermutationAuditor(1, false)
  for (const record of records()) {
    if (record.type === 'header' && !canRoute(record)) return undefined
    auditor.add(record)
  }
  return auditor.result()
}

function canRoute({ policy, topology }: Header): boolean {
  return policy.claims.links === 'owned' && 'pgft' in topology
}

/** An audit's report with what routing has shown: it certifies full bandwidth where no rule does. */
export function withPermutations(report: AuditReport, { routed, violations, open }: PermutationAudit): AuditReport {
  const untestedClaims = report.untestedClaims.flatMap((untested) => {
    if (untested.claim !== 'full_bandwidth') return [untested]
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
