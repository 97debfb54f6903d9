import { formatIdset } from '@cloister/topology'
import type { Resources } from '../allocation.ts'
import type { Outcome, Request } from '../contract.ts'

/** An outcome as text: equal outcomes read the same, whatever kind of arrays they have. */
export function plain(outcome: Outcome): string {
  if (!outcome.ok) return JSON.stringify(outcome)
  return JSON.stringify({
    ...outcome,
    nodes: Array.from(outcome.nodes),
    links: outcome.links.map((ids) => Array.from(ids)),
    ranks: outcome.ranks && Array.from(outcome.ranks),
  })
}

/** Ids for people: ascending ones as a set. */
export function idsText(ids: ArrayLike<number>): string {
  const list = Array.from(ids)
  return list.every((id, at) => at === 0 || id > list[at - 1]) ? formatIdset(list) || 'none' : list.join()
}

export function linksText(links: ReadonlyArray<ArrayLike<number>>): string {
  return JSON.stringify(links.map((ids) => Array.from(ids)))
}

const FEW = 8

/** Ids as code: a list, or `parseIdset(…)` of many. */
export function idsCode(ids: ArrayLike<number>): string {
  const list = Array.from(ids)
  return list.length > FEW ? `parseIdset('${formatIdset(list)}')` : `[${list.join(', ')}]`
}

/** Resources as code, with what else is known of them. */
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

/** What `request(nodes)` says of a job where nothing else is asked for. */
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

/** A request as code, `request(…)` with what is not as by default. */
export function requestText(request: Request): string {
  const more = Object.entries(plainRequest)
    .filter(([name, value]) => request[name as keyof Request] !== value)
    .map(([name]) => {
      const value = request[name as keyof Request]
      return `${name}: ${typeof value === 'string' ? `'${value}'` : JSON.stringify(value)}`
    })
  return more.length === 0 ? `request(${request.nodes})` : `request(${request.nodes}, { ${more.join(', ')} })`
}
