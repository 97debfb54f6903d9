import type { Outcome, Placement, Refusal } from './contract.ts'

/**
 * Returns a message if the result of `place` has not the form of a placement or a refusal; a policy without types may
 * return anything. `placementDefect` tests the ids of the nodes and links.
 */
export function outcomeDefect(outcome: Outcome): string | undefined {
  if (typeof outcome !== 'object' || outcome === null) return noAnswer(inWords(outcome))
  if (outcome.ok === true) return placementShapeDefect(outcome)
  return outcome.ok === false ? refusalDefect(outcome) : noAnswer(otherObject(outcome))
}

function refusalDefect(refusal: Refusal): string | undefined {
  switch (refusal.code) {
    case 'too-few-nodes':
      return typeof refusal.free === 'number' ? undefined : missing('free', 'a number of nodes', refusal.free)
    case 'search-bound':
      return typeof refusal.steps === 'number' ? undefined : missing('steps', 'a number', refusal.steps)
    case 'no-placement':
    case 'never':
      return typeof refusal.constraint === 'string'
        ? undefined
        : missing('constraint', 'a text that says what failed', refusal.constraint)
    default:
      return `place returned a refusal with code ${inWords((refusal as Refusal).code)}; expected too-few-nodes, no-placement, search-bound or never`
  }
}

function placementShapeDefect({ nodes, links, ranks, bandwidth }: Placement): string | undefined {
  if (!isList(nodes)) return missing('nodes', 'a list of node ids', nodes)
  if (!Array.isArray(links) || !links.every(isList))
    return missing('links', 'a list of lists of link ids, one a level', links)
  if (ranks !== undefined && !isList(ranks)) return missing('ranks', 'a list of node ids, or left out', ranks)
  return bandwidth === undefined || (Number.isSafeInteger(bandwidth) && bandwidth >= 0)
    ? undefined
    : missing('bandwidth', 'a whole number of MB/s, or left out', bandwidth)
}

function isList(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof (value as { length?: unknown }).length === 'number'
}

function missing(field: string, expected: string, found: unknown): string {
  return `place returned ${field} ${inWords(found)}; expected ${expected}`
}

function noAnswer(found: string): string {
  return `place returned ${found}; expected a placement, { ok: true, nodes, links }, or a refusal, { ok: false, code, … }`
}

function otherObject(outcome: object): string {
  if ('then' in outcome && typeof outcome.then === 'function')
    return 'a promise (a simulation does not wait for an answer)'
  return Array.isArray(outcome) ? 'an array' : `an object whose ok is ${inWords((outcome as { ok?: unknown }).ok)}`
}

function inWords(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.slice(0, 100))
    case 'object':
      return value === null ? 'null' : Array.isArray(value) ? 'an array' : 'an object'
    case 'undefined':
      return 'undefined (nothing)'
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(value)
    default:
      return `a ${typeof value}`
  }
}
