import type { Claims } from './contract.ts'

const LINKS: ReadonlyArray<Claims['links']> = ['owned', 'capped', 'rule', 'shared']
const FACTS = ['fullBandwidth', 'exactSize', 'monotone', 'complete', 'speedupScenarios'] as const

/** Returns a message if the result of `make` is no placer; a policy without types may return anything. */
export function placerDefect(made: unknown): string | undefined {
  const { claims, place } = (made ?? {}) as { readonly claims?: unknown; readonly place?: unknown }
  if (typeof place === 'function' && typeof claims === 'object' && claims !== null)
    return claimsDefect(claims as Claims)
  return `make returned ${inWords(made)}; expected a placer, { claims, place }, or { unsupported }`
}

function claimsDefect(claims: Claims): string | undefined {
  if (!LINKS.includes(claims.links))
    return `claims.links is ${inWords(claims.links)}; expected ${LINKS.slice(0, -1).join(', ')} or ${LINKS.at(-1)}`
  const wrong = FACTS.find((fact) => typeof claims[fact] !== 'boolean')
  if (wrong !== undefined) return `claims.${wrong} is ${inWords(claims[wrong])}; expected true or false`
  return claims.rule === undefined || typeof claims.rule === 'string'
    ? undefined
    : `claims.rule is ${inWords(claims.rule)}; expected the name of a rule, or no rule at all`
}

function inWords(value: unknown): string {
  return JSON.stringify(value) ?? 'missing'
}
