import type { AuditReport, Violation } from '@cloister/audit'
import { LISTED_VIOLATIONS } from '@cloister/audit'
import { type LogRecord, headerTopology, resourcesOf } from '@cloister/eventlog'
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
}

/**
 * Certifies full bandwidth by routing: for every allocation that owns links, `permutations` random permutations of its
 * nodes, each with at most one flow on every link and direction, every link the allocation's own.
 */
export class PermutationAuditor {
  readonly #permutations: number
  #topology!: Topology
  #checker!: FlowChecker
  #routed = 0
  #flows = 0
  #largestLoad = 0
  readonly #violations: Array<Violation> = []

  constructor(permutations: number) {
    this.#permutations = permutations
  }

  add(record: LogRecord): void {
    if (record.type === 'header') {
      this.#topology = headerTopology(record)
      this.#checker = new FlowChecker(this.#topology)
    }
    if (record.type !== 'allocate') return
    const parts = resourcesOf(record)
    const violated = (message: string): void => {
      this.#violations.push({ invariant: 'permutations', seq: record.seq, t: record.t, job: record.job, message })
    }
    const allocation = fullBandwidth(this.#topology, parts)
    if ('unproved' in allocation) return violated(`no routes for permutations: ${allocation.unproved}`)
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
    return { routed: this.#routed, flows: this.#flows, largestLoad: this.#largestLoad, violations: this.#violations }
  }
}

/** An audit's report with what routing has shown: it certifies full bandwidth where no rule does. */
export function withPermutations(report: AuditReport, { routed, violations }: PermutationAudit): AuditReport {
  const untestedClaims = report.untestedClaims.filter(({ claim }) => claim !== 'full_bandwidth' || routed === 0)
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
