import type { ClaimsRef, Header } from '@cloister/eventlog'
import { isFullBisection, type Topology } from '@cloister/topology'

/** A claim of the header that no invariant tested, with the reason. Any untested claim makes an audit's `ok` false. */
export interface UntestedClaim {
  /** A field of the header's claims, or an option of the run: `runTimes`, `router`, `queue`. */
  readonly claim: string
  readonly reason: string
}

/** Returns the claims of a policy that no log can show, with reasons. Only tests that call the policy can. */
export function claimsBeyondLogs(claims: ClaimsRef): { readonly [claim: string]: string } {
  const reasons: { [claim: string]: string } = {}
  if (claims.monotone) reasons['monotone'] = 'no log can show it: it is about refusals in states with less free'
  if (claims.complete) reasons['complete'] = 'no log can show it: it is about placements that were not found'
  if (claims.speedup_scenarios)
    reasons['speedup_scenarios'] = 'no log can show it: it says which scenarios make sense for the policy'
  return reasons
}

/**
 * Returns the claims of a log's header that the log did not allow the auditor to test. The log must have allocations.
 *
 * @param checked number of tests of each invariant
 * @param topology topology of the header; undefined if the topology cannot be built
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
    untested.push({ claim: 'queue', reason: `an observed log does not show that its discipline was ${queue}` })
  if (router !== undefined)
    expect('router', 'routes-inside', `the routes of ${JSON.stringify(router)} were never tested on this machine`)
  if (claims.exact_size) expect('exact_size', 'exact-size', 'exact-size was never tested')
  if (claims.links === 'owned') {
    expect('links', 'link-exclusive', 'link-exclusive was never tested')
    const isTested = checked['link-exclusive'] > 0
    if (isTested && (topology === undefined || !provesConnection(claims.rule, topology)))
      expect('links', 'links-connect', 'links-connect was never tested')
  }
  if (claims.links === 'capped')
    expect('links', 'link-capacity', 'link-capacity was never tested: the header needs a link_capacity')
  if (claims.links === 'rule' && claims.rule === undefined)
    untested.push({ claim: 'links', reason: 'no rule is named that keeps links apart' })
  if (claims.rule !== undefined)
    expect(
      'rule',
      claims.rule,
      `the rule ${JSON.stringify(claims.rule)} was never tested: this auditor does not know it, or it does not apply`,
    )
  if (
    claims.full_bandwidth &&
    !(claims.rule !== undefined && checked[claims.rule] > 0 && provesFullBandwidth(claims.rule, claims.links, topology))
  ) {
    untested.push({
      claim: 'full_bandwidth',
      reason:
        'no rule that was tested proves it; jigsaw-conditions, laas and nested-remainders with owned links do, and ta on trees of full bisection',
    })
  }
  return untested
}

/** Returns true if the links of every allocation that keeps the rule connect all nodes of the allocation. */
export function provesConnection(rule: string | undefined, topology: Topology): boolean {
  if (rule === 'jigsaw-conditions' || rule === 'laas' || rule === 'nested-remainders') return true
  return rule === 'ta' && topology.pgft !== undefined && topology.levels.length <= 3
}

/** Returns true if every allocation that keeps the rule has full bandwidth. */
function provesFullBandwidth(rule: string, links: ClaimsRef['links'], topology: Topology | undefined): boolean {
  // An allocation under these rules has as many uplinks as downlinks everywhere, on tapered trees too. If links are
  // shared, the allocation does not have the whole bandwidth of its links.
  if (rule === 'jigsaw-conditions' || rule === 'laas' || rule === 'nested-remainders') return links === 'owned'
  // A job under TA has all uplinks of its switches. If no level is tapered, uplinks are at least as many as downlinks.
  return rule === 'ta' && topology !== undefined && isFullBisection(topology)
}
