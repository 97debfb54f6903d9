import type { ClaimsRef, Header } from '@cloister/eventlog'
import { isFullBisection, type Topology } from '@cloister/topology'

/** A claim of the header that no invariant tested, with the reason. Any untested claim makes an audit's `ok` false. */
export interface UntestedClaim {
  /** Field of the header's `policy.claims`, such as `links`, or an option of the run, such as `runTimes`. */
  readonly claim: string
  readonly reason: string
}

/** Returns the claims that no log can prove or refute, each with the reason; only calls of the policy can test them. */
export function claimsBeyondLogs(claims: ClaimsRef): { readonly [claim: string]: string } {
  const reasons: { [claim: string]: string } = {}
  if (claims.monotone)
    reasons['monotone'] =
      'no log can show the claim: monotone is about refusals in states with fewer free nodes and links'
  if (claims.complete)
    reasons['complete'] = 'no log can show the claim: complete is about placements that the policy did not find'
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
  { policy: { claims }, options: { queue, router }, origin }: Header,
  checked: { readonly [invariant: string]: number },
  topology: Topology | undefined,
): ReadonlyArray<UntestedClaim> {
  const untested: Array<UntestedClaim> = []
  const expect = (claim: string, invariant: string, otherwise: string): void => {
    if (!(checked[invariant] > 0)) untested.push({ claim, reason: otherwise })
  }
  if (origin === 'observed' && queue !== 'external')
    untested.push({
      claim: 'queue',
      reason: `an observed log does not show whether the scheduler's discipline was ${queue}`,
    })
  if (router !== undefined)
    expect(
      'router',
      'routes-inside',
      `the auditor did not test the routes of the router ${JSON.stringify(router)}, because the invariant routes-inside does not apply to the log`,
    )
  if (claims.exact_size)
    expect('exact_size', 'exact-size', 'no allocation or reservation was tested by the invariant exact-size')
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
  return untested
}

/** Returns true if the rule implies that the links of an allocation connect all nodes of the allocation. */
export function provesConnection(rule: string | undefined, topology: Topology): boolean {
  if (rule === 'jigsaw-conditions' || rule === 'laas' || rule === 'nested-remainders') return true
  return rule === 'ta' && topology.pgft !== undefined && topology.levels.length <= 3
}

function provesFullBandwidth(rule: string, links: ClaimsRef['links'], topology: Topology | undefined): boolean {
  // An allocation under jigsaw-conditions, laas or nested-remainders has enough cables for every permutation of its
  // nodes, on tapered trees, too. If links are shared, an allocation does not have the whole bandwidth of its links.
  if (rule === 'jigsaw-conditions' || rule === 'laas' || rule === 'nested-remainders') return links === 'owned'
  // Under TA, a job has all uplinks of its switches. If no level of the tree is tapered, a switch has at least as many
  // uplinks as downlinks.
  return rule === 'ta' && topology !== undefined && isFullBisection(topology)
}
