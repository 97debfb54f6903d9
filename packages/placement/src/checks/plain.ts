import { formatIdset } from '@cloister/topology'
import type { Resources } from '../allocation.ts'
import type { Outcome, Request } from '../contract.ts'

/** Returns equal texts for equal outcomes, even if their arrays have different types. */
export function plain(outcome: Outcome): string {
  if (!outcome.ok) return JSON.stringify(outcome)
  return JSON.stringify({
    ...outcome,
    nodes: Array.from(outcome.nodes),
    links: outcome.links.map((ids) => Array.from(ids)),
    ranks: outcome.ranks && Array.from(outcome.ranks),
  })
}

/** Returns ids for a message: an idset such as `0-17,36`, `none` without ids, or a list if the ids do not ascend. */
export function idsText(ids: ArrayLike<number>): string {
  const list = Array.from(ids)
  return list.every((id, at) => at === 0 || id > list[at - 1]) ? formatIdset(list) || 'none' : list.join()
}

export function linksText(links: ReadonlyArray<ArrayLike<number>>): string {
  return JSON.stringify(links.map((ids) => Array.from(ids)))
}

const FEW = 8

/** Returns code for a list of ids: an array, or a call of `parseIdset` for more than eight ids. */
export function idsCode(ids: ArrayLike<number>): string {
  const list = Array.from(ids)
  return list.length > FEW ? `parseIdset('${formatIdset(list)}')` : `[${list.join(', ')}]`
}

/** Returns code for an object with nodes, links and any further fields. */
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

/** Default fields of `request(nodes)`, except `nodes`. */
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

/** Returns code for a request: a call of `request` with the fields that differ from `plainRequest`. */
export function requestText(request: Request): string {
  const more = Object.entries(plainRequest)
    .filter(([name, value]) => request[name as keyof Request] !== value)
    .map(([name]) => {
      const value = request[name as keyof Request]
      return `${name}: ${typeof value === 'string' ? `'${value}'` : JSON.stringify(value)}`
    })
  return more.length === 0 ? `request(${request.nodes})` : `request(${request.nodes}, { ${more.join(', ')} })`
}
