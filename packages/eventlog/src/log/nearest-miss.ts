import type { Json } from '../records/types.ts'

/**
 * Describes the nearest miss of a refusal: `{"pod":3,"have":4,"need":5}` gives `pod 3 has 4 of 5`. A nearest miss
 * without `have` and `need`, or `start` and `end`, is described by its JSON.
 */
export function describeNearest(nearest: Json): string {
  if (typeof nearest !== 'object' || nearest === null || Array.isArray(nearest))
    return typeof nearest === 'string' ? nearest : JSON.stringify(nearest)
  const { have, need, start, end, ...where } = nearest as { readonly [key: string]: Json }
  const place = Object.entries(where)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
  if (typeof have === 'number' && typeof need === 'number')
    return `${place === '' ? '' : `${place} has `}${have} of ${need}`
  if (typeof start === 'number' && typeof end === 'number')
    return `the reservation starts at ${start} s, the job would end at ${end} s`
  return JSON.stringify(nearest)
}
