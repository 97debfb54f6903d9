import { formatIdset } from '@cloister/topology'
import type { Resources } from '../allocation.ts'
import type { Outcome, Request } from '../contract.ts'

/** Formats an outcome as text. Equal outcomes have equal texts, independent of the type of their arrays. */
export function plain(outcome: Outcome): string {
  if (!outcome.ok) return JSON.stringify(outcome)
  return JSON.stringify({
    ...outcome,
    nodes: Array.from(outcome.nodes),
    links: outcome.links.map((ids) => Array.from(ids)),
    ranks: outcome.ranks && Array.from(outcome.ranks),
  })
}

/** Formats ids for people. Ascending ids become an idset such as `0-17,36`. */
export function idsText(ids: ArrayLike<number>): string {
  const list = Array.from(ids)
  return list.every((id, at) => at === 0 || id > list[at - 1]) ? formatIdset(list) || 'none' : list.join()
}

export function linksText(links: ReadonlyArray<ArrayLike<number>>): string {
  return JSON.stringify(links.map((ids) => Array.from(ids)))
}

const FEW = 8

/** Formats ids as code: up to eight as an array, more as `parseIdset(…)`. */
export function idsCode(ids: ArrayLike<number>): string {
  const list = Array.from(ids)
  return list.length > FEW ? `parseIdset('${formatIdset(list)}')` : `[${list.join(', ')}]`
}

/** Formats resources as code, with any further fields of the object. */
export function resourcesText({ nodes, links, ...more }: Resources): string {
  const last = links.findLastIndex(({ length }) => length > 0)
  const fields = [
    `nodes: ${idsCode(nodes)}`,
    `links: [${links
      .slice(0, last + 1)
      .map(idsCode)
      .join(', ')}]`,
    ...Object.entries(more).map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
  ]
  return `{ ${fields.join(', ')} }`
}

/** Default fields of `request(nodes)`. */
export const plainRequest: { readonly [field in Exclude<keyof Request, 'nodes'>]: Request[field] | undefined } = {
  purpose: 'start',
  job: 'a',
  now: 0,
  decidedAt: undefined,
  startsAt: undefined,
  submitted: 0,
  estimate: undefined,
  bandwidth: undefined,
  communication: undefined,
}

/** Formats a request as code, `request(…)` with the fields that differ from the default. */
export function requestText(request: Request): string {
  const more = Object.entries(plainRequest)
    .filter(([name, value]) => request[name as keyof Request] !== value)
    .map(([name]) => {
      const value = request[name as keyof Request]
      return `${name}: ${typeof value === 'string' ? `'${value}'` : JSON.stringify(value)}`
    })
  return more.length === 0 ? `request(${request.nodes})` : `request(${request.nodes}, { ${more.join(', ')} })`
}
