import type { ClaimsRef, Header, LogOutcome, LogRecord } from '@cloister/eventlog'
import type { Tally } from './invariant.ts'
import { queueOrderOf } from './cluster/queue-orders.ts'
import { isFullBisection, pgft, type Ratio, type Share, shareOf, type Topology, wholeShape } from '@cloister/topology'

/** Record of a log that breaks an invariant. */
export interface Violation {
  readonly invariant: string
  /** Seq of the record at which the violation was found: the number of its line, from 0. */
  readonly seq: number
  /** Time of the record, in seconds. */
  readonly t?: number
  readonly job?: string
  readonly message: string
}

/** Result of an audit, as plain data for JSON. */
export interface AuditReport {
  /** True if the log is whole, no invariant is violated, and `untestedClaims` is empty. */
  readonly ok: boolean
  /** Status of the log from the reader's outcome; only `whole` or `unsealed` if the records came without a reader. */
  readonly status: LogOutcome['status']
  /** Outcome of the reader; absent if the records came without a reader. */
  readonly outcome?: LogOutcome
  /** Number of audited records. */
  readonly records: number
  /** Number of tests of each invariant, for invariants with at least one test. */
  readonly checked: { readonly [invariant: string]: number }
  /** Reason for each invariant without a test, each claim that no log can show, and `matrix-ranks` of the CLI. */
  readonly notApplicable: { readonly [invariant: string]: string }
  /** Claims of the header that no invariant tested; empty for a log without allocations. */
  readonly untestedClaims: ReadonlyArray<UntestedClaim>
  /** First violations of each invariant, at most `LISTED_VIOLATIONS` an invariant, in the order of the log. */
  readonly violations: ReadonlyArray<Violation>
  /** Number of violations of each violated invariant, including the violations that `violations` does not list. */
  readonly violationCounts: { readonly [invariant: string]: number }
}

/** Most violations of one invariant that a report lists. */
export const LISTED_VIOLATIONS = 20

/** Counters of the tests and violations of one invariant. */
export class InvariantTally implements Tally {
  readonly invariant: string
  readonly #listed: Array<Violation>
  readonly #untested: Array<UntestedClaim>
  #tests = 0
  #whyInapplicable: string | undefined
  #violations = 0

  /** The tally appends violations and untested claims to the two lists, which all invariants of an audit share. */
  constructor(invariant: string, listed: Array<Violation>, untested: Array<UntestedClaim>) {
    this.invariant = invariant
    this.#listed = listed
    this.#untested = untested
  }

  get tests(): number {
    return this.#tests
  }

  get violations(): number {
    return this.#violations
  }

  tested(times = 1): void {
    this.#tests += times
  }

  /** First reason why the property does not apply to a record. */
  get whyInapplicable(): string | undefined {
    return this.#whyInapplicable
  }

  inapplicable(reason: string): void {
    this.#whyInapplicable ??= reason
  }

  untested(claim: string, reason: string): void {
    if (!this.#untested.some((each) => each.claim === claim)) this.#untested.push({ claim, reason })
  }

  violated(record: LogRecord, message: string): void {
    this.violatedAt({
      seq: record.seq,
      ...('t' in record ? { t: record.t } : {}),
      ...('job' in record ? { job: record.job } : {}),
      message,
    })
  }

  violatedAt(violation: Omit<Violation, 'invariant'>): void {
    if (this.#violations++ < LISTED_VIOLATIONS) this.#listed.push({ invariant: this.invariant, ...violation })
  }
}

/**
 * Returns the exit code of `cloister audit`. 0: the log is whole, without a violation or an untested claim. 1: a
 * violation or an untested claim. 2: the log is corrupt. 3: the log is not whole, without a violation or an untested
 * claim.
 */
export function exitCode(report: AuditReport): 0 | 1 | 2 | 3 {
  if (report.status === 'corrupt') return 2
  if (report.violations.length > 0 || report.untestedClaims.length > 0) return 1
  return report.status === 'whole' ? 0 : 3
}

/** A claim of the header that no invariant tested, with the reason. Any untested claim makes an audit's `ok` false. */
export interface UntestedClaim {
  /** Field of the header's `policy.claims`, such as `links`, or an option of the run, such as `runTimes`. */
  readonly claim: string
  readonly reason: string
}

/** Claims of records, which stay untested even if the log has no allocate record. */
const ofRecords: ReadonlySet<string> = new Set(['refusals', 'rejections', 'revision'])

/** Returns true if the claim says something about a log without allocate records. */
export function concernsEveryLog({ claim }: UntestedClaim): boolean {
  return ofRecords.has(claim)
}

/** Returns the claims that no log can prove or refute, each with the reason; only calls of the policy can test them. */
export function claimsBeyondLogs(claims: ClaimsRef): { readonly [claim: string]: string } {
  const reasons: { [claim: string]: string } = {}
  if (claims.monotone)
    reasons['monotone'] =
      'no log can show the claim: monotone is about refusals in states with fewer free nodes and links'
  if (claims.speedup_scenarios)
    reasons['speedup_scenarios'] =
      'no log can show the claim: speedup_scenarios says whether the option scenario shortens run times under the policy'
  return reasons
}

/**
 * Returns the claims of a log's header that no invariant tested, each with the reason. Call the function only for a log
 * with an allocate record: a log without allocations cannot test a claim.
 *
 * @param checked number of tests of each invariant, by name
 * @param topology topology of the header; undefined if the auditor could not build the topology
 */
export function untestedClaims(
  header: Header,
  checked: { readonly [invariant: string]: number },
  topology: Topology | undefined,
): ReadonlyArray<UntestedClaim> {
  const {
    policy: { claims },
    options: { queue },
    router,
    origin,
  } = header
  const untested: Array<UntestedClaim> = []
  const expect = (claim: string, invariant: string, otherwise: string): void => {
    if (!(checked[invariant] > 0)) untested.push({ claim, reason: otherwise })
  }
  const order = queueOrderOf(header)
  if (typeof order === 'string') untested.push({ claim: 'order', reason: order })
  if (origin === 'observed' && queue !== 'external')
    untested.push({
      claim: 'queue',
      reason: `an observed log does not show whether the scheduler's discipline was ${queue}`,
    })
  if (origin === 'driven' && queue.split(',').includes('kill'))
    untested.push({
      claim: 'queue',
      reason: `a driven log does not show whether the discipline ${queue} kills jobs in time, because a controller that continues the log does not know which running jobs started ahead of others`,
    })
  if (router !== undefined)
    expect(
      'router',
      'routes-inside',
      `the auditor did not test the routes of the router ${JSON.stringify(router.name)}, because the invariant routes-inside does not apply to the log`,
    )
  if (claims.exact_size)
    expect('exact_size', 'exact-size', 'no allocation or reservation was tested by the invariant exact-size')
  if (claims.any_free_nodes === true)
    expect('any_free_nodes', 'any-free-nodes', 'no scheduling pass was tested by the invariant any-free-nodes')
  if (claims.links === 'owned') {
    expect('links', 'link-exclusive', 'no allocation was tested by the invariant link-exclusive')
    const isTested = checked['link-exclusive'] > 0
    if (isTested && (topology === undefined || !provesConnection(claims.rule, topology)))
      expect('links', 'links-connect', 'no allocation or reservation was tested by the invariant links-connect')
  }
  if (claims.links === 'capped')
    expect(
      'links',
      'link-capacity',
      'no allocation was tested by the invariant link-capacity: the header needs a link_capacity',
    )
  if (claims.links === 'rule' && claims.rule === undefined)
    untested.push({ claim: 'links', reason: 'the claim links has the value rule, but the header names no rule' })
  if (claims.rule !== undefined)
    expect(
      'rule',
      claims.rule,
      `the rule ${JSON.stringify(claims.rule)} was never tested: this auditor does not know the rule, or the rule does not apply to the log`,
    )
  if (
    claims.full_bandwidth &&
    !(claims.rule !== undefined && checked[claims.rule] > 0 && provesFullBandwidth(claims.rule, claims.links, topology))
  ) {
    untested.push({
      claim: 'full_bandwidth',
      reason:
        'no tested rule proves full bandwidth; the rules jigsaw-conditions, laas and nested-remainders prove full bandwidth if links are owned, and ta on trees of full bisection',
    })
  }
  if (
    claims.share_bandwidth !== undefined &&
    !(claims.rule !== undefined && checked[claims.rule] > 0 && provesShareBandwidth(claims, topology))
  ) {
    untested.push({
      claim: 'share_bandwidth',
      reason:
        'no tested rule proves share bandwidth; the rules laas and nested-remainders prove share bandwidth if links are owned, and ta if the claim allows at least the loads of the whole tree',
    })
  }
  return untested
}

/** Returns true if the rule implies that the links of an allocation connect all nodes of the allocation. */
export function provesConnection(rule: string | undefined, topology: Topology): boolean {
  if (rule === 'jigsaw-conditions' || rule === 'laas' || rule === 'nested-remainders') return true
  return rule === 'ta' && wholeShape(topology) !== undefined && topology.levels.length <= 3
}

function provesFullBandwidth(rule: string, links: ClaimsRef['links'], topology: Topology | undefined): boolean {
  // An allocation under jigsaw-conditions, laas or nested-remainders has enough cables for every permutation of its
  // nodes, on tapered trees, too. If links are shared, an allocation does not have the whole bandwidth of its links.
  if (rule === 'jigsaw-conditions' || rule === 'laas' || rule === 'nested-remainders') return links === 'owned'
  // Under TA, a job has all uplinks of its switches, and no switch lacks an uplink of the whole tree. If no level of the
  // whole tree is tapered, a switch has at least as many uplinks as downlinks.
  const shape = topology && wholeShape(topology)
  return rule === 'ta' && shape !== undefined && isFullBisection(pgft(shape))
}

/**
 * Returns true if the tested rule implies share bandwidth. A job under TA owns all uplinks of its switches, so the loads
 * of its links are at most the numbers of links down for each link up.
 */
function provesShareBandwidth(
  { rule, links, share_bandwidth: share }: ClaimsRef,
  topology: Topology | undefined,
): boolean {
  if (rule === 'laas' || rule === 'nested-remainders') return links === 'owned'
  const whole = topology && shareOf(topology)
  if (rule !== 'ta' || whole === undefined) return false
  const quotient = ({ uplink, spine }: Share): Ratio => [spine[0] * uplink[1], spine[1] * uplink[0]]
  const allows = ([over, under]: Ratio, needed: Ratio): boolean => over * needed[1] >= needed[0] * under
  return allows(share!.uplink, whole.uplink) && allows(quotient(share!), quotient(whole))
}
