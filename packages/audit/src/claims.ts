import type { ClaimsRef } from '@cloister/eventlog'

export interface UntestedClaim {
  /** A field of the header's claims. */
  readonly claim: string
  readonly reason: string
}

/** Claims about what a policy would do in other states than those of the log, which only a suite on the policy itself can test. */
export function claimsBeyondLogs(claims: ClaimsRef): { readonly [claim: string]: string } {
  const reasons: { [claim: string]: string } = {}
  if (claims.monotone) reasons['monotone'] = 'no log can show it: it is about refusals in states with less free'
  if (claims.complete) reasons['complete'] = 'no log can show it: it is about placements that were not found'
  if (claims.speedup) reasons['speedup'] = 'no log can show it: it says which scenarios make sense for the policy'
  return reasons
}

/**
 * The claims that a log with allocations should have let the auditor test, and did not.
 *
 * @param checked how often each invariant was tested
 */
export function untestedClaims(claims: ClaimsRef, checked: { readonly [invariant: string]: number }): ReadonlyArray<UntestedClaim> {
  const untested: Array<UntestedClaim> = []
  const expect = (claim: string, invariant: string, otherwise: string): void => {
    if (!(checked[invariant] > 0)) untested.push({ claim, reason: otherwise })
  }
  if (claims.exactSize) expect('exactSize', 'exact-size', 'exact-size was never tested')
  if (claims.links === 'owned') expect('links', 'link-exclusive', 'link-exclusive was never tested')
  if (claims.links === 'capped') expect('links', 'link-capacity', 'link-capacity was never tested: the header needs a link_capacity')
  if (claims.links === 'rule' && claims.rule === undefined) untested.push({ claim: 'links', reason: 'no rule is named that keeps links apart' })
  if (claims.rule !== undefined) expect('rule', claims.rule, `the rule ${JSON.stringify(claims.rule)} was never tested: this auditor does not know it, or it does not apply`)
  // On owned links the conditions prove full bandwidth, tapered or not: a partition has as many uplinks as downlinks everywhere.
  const proof = claims.links === 'owned' ? RULES_OF_FULL_BANDWIDTH.find((rule) => rule === claims.rule) : undefined
  if (claims.fullBandwidth && (proof === undefined || !(checked[proof] > 0))) {
    untested.push({ claim: 'fullBandwidth', reason: `no rule that was tested proves it; ${RULES_OF_FULL_BANDWIDTH.join(' and ')} with owned links do` })
  }
  return untested
}

const RULES_OF_FULL_BANDWIDTH = ['jigsaw-conditions', 'laas']
