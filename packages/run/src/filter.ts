import { formatFilter, parseFilter } from '@cloister/workload'

/**
 * The canonical spelling of a filter. A size that is as by default is said too: it stands in place of the one that a
 * preset has.
 *
 * @throws SpecError
 */
export function canonicalFilter(text: string): string {
  const filter = parseFilter(text)
  const spelled = formatFilter(filter)
  if (filter.size === undefined || spelled.startsWith('size=')) return spelled
  return spelled === '' ? 'size=requested' : `size=requested,${spelled}`
}
