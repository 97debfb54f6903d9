import type { Claims } from './contract.ts'

const LINKS: ReadonlyArray<Claims['links']> = ['owned', 'capped', 'rule', 'shared']
const FACTS = ['fullBandwidth', 'exactSize', 'monotone', 'complete', 'speedupScenarios'] as const

/** Returns the reason why the result of `make` is no placer, or undefined if there is none. Policies may lack types. */
export function placerDefect(made: unknown): string | undefined {
  const { claims, place } = (made ?? {}) as { readonly claims?: unknown; readonly place?: unknown }
  if (typeof place === 'function' && typeof claims === 'object' && claims !== null)
    return claimsDefect(claims as Claims)
  return `make returned ${inWords(made)}; it should return a placer, { claims, place }, or { unsupported }`
}

function claimsDefect(claims: Claims): string | undefined {
  if (!LINKS.includes(claims.links))
    return `claims.links is ${inWords(claims.links)}; it must be ${LINKS.slice(0, -1).join(', ')} or ${LINKS.at(-1)}`
  const wrong = FACTS.find((fact) => typeof claims[fact] !== 'boolean')
  if (wrong !== undefined) return `claims.${wrong} is ${inWords(claims[wrong])}; it must be true or false`
  return claims.rule === undefined || typeof claims.rule === 'string'
    ? undefined
    : `claims.rule is ${inWords(claims.rule)}; it must be the name of a rule, or be left out`
}

function inWords(value: unknown): string {
  return JSON.stringify(value) ?? 'missing'
}
