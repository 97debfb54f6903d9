import type { JobNumber } from '@cloister/metrics'

/**
 * Returns a query in which the bounds of a histogram's bar replace all bounds of the field `of`.
 *
 * @param isLast true for the last bar, which includes its upper edge `to`
 */
export function narrowed(query: string, of: JobNumber, from: number, to: number, isLast: boolean): string {
  const bound = new RegExp(`(^|[\\s,])${of}\\s*(>=|<=|<|>)\\s*[^\\s,|"]+(?=$|[\\s,])`, 'g')
  const rest = query.replaceAll(bound, '$1').trim().replaceAll(/\s+/g, ' ')
  const within = `${of}>=${round(from)} ${of}${isLast ? '<=' : '<'}${round(to)}`
  return rest === '' ? within : `${rest} ${within}`
}

function round(value: number): string {
  return String(Math.round(value * 1000) / 1000)
}
