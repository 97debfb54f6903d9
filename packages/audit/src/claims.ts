import type { ClaimsRef, Header } from '@cloister/eventlog'
import { isFullBisection, type Topology } from '@cloister/topology'

/** A claim of the header that no invariant tested, and why: it makes an audit's `ok` false. */
export interface UntestedClaim {
  /** A field of the header's claims, or a member of the header: `run_times`, `router`, `queue`. */
  readonly claim: string
  readonly reason: string
}

/** Claims about what a policy would do in other states than those of the log, which only a suite on the policy itself can test. */
export function claimsBeyondLogs(claims: ClaimsRef): { readonly [claim: string]: string } {
  const reasons: { [claim: string]: string } = {}
  if (claims.monotone) reasons['monotone'] = 'no log can show it: it is about refusals in states with less free'
  if (claims.complete) reasons['complete'] = 'no log can show it: it is about placements that were not found'
  if (claims.speedup_scenarios)
    reasons['speedup_scenarios'] = 'no log can show it: it says which scenarios make sense for the policy'
  return reasons
}

/**
 * The claims that a log with allocations should have let the auditor test, and did not.
 *
 * @param checked how often each invariant was tested
 * @param topology of the header, where it can be built
 */
export function untestedClaims(
  { policy: { claims }, queue, origin, router }: Header,
  checked: { readonly [invariant: string]: number },
  topology: Topology | undefined,
): ReadonlyArray<UntestedClaim> {
  const untested: Array<UntestedClaim> = []
  const expect = (claim: string, invariant: string, otherwise: string): void => {
    if (!(checked[invariant] > 0)) untested.push({ claim, reason: otherwise })
  }
  if (origin === 'observed' && queue.backfill !== 'external')
    untested.push({ claim: 'queue', reason: `an observed log does not show that its discipline was ${queue.backfill}` })
  if (router !== null)
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

/** Whether the links of allocations that keep a rule connect all of their nodes. */
export function provesConnection(rule: string | undefined, topology: Topology): boolean {
  if (rule === 'jigsaw-conditions' || rule === 'laas' || rule === 'nested-remainders') return true
  return rule === 'ta' && topology.pgft !== undefined && topology.levels.length <= 3
}

/** Whether allocations that keep a rule have full bandwidth. */
function provesFullBandwidth(rule: string, links: ClaimsRef['links'], topology: Topology | undefined): boolean {
  // Tapered or not: a partition has as many uplinks as downlinks everywhere. Those that it shares are not all its own.
  if (rule === 'jigsaw-conditions' || rule === 'laas' || rule === 'nested-remainders') return links === 'owned'
  // All uplinks of every switch that a job uses: at least as many as its downlinks where the tree is nowhere tapered.
  return rule === 'ta' && topology !== undefined && isFullBisection(topology)
}
