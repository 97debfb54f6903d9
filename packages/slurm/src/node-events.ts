import { TraceError, timeReader, type UtcOffset } from '@cloister/trace-io'
import type { NodeIds } from './node-ids.ts'

/** Time in which a node was down, in Unix milliseconds; `until` is Infinity if the node is still down. */
export interface NodeOutage {
  readonly node: number
  readonly from: number
  readonly until: number
}

/** Outages of nodes in a file of Slurm's node events. */
export interface NodeEvents {
  /** Outages, sorted by node, then by time. Two outages of one node neither overlap nor touch. */
  readonly outages: ReadonlyArray<NodeOutage>
  /** Number of events about nodes that the topology lacks. */
  readonly unknown: number
}

const expected = 'the output of sacctmgr show event -P with the columns NodeName, TimeStart and TimeEnd'

/**
 * Parses the output of `sacctmgr show event -P format=NodeName,TimeStart,TimeEnd,State`. Every event counts as an
 * outage of its nodes, because a draining node takes no new job either. Events of the whole cluster (without a node)
 * are ignored.
 *
 * @throws TraceError for the first wrong line; the error names the line, the field, the text found and the text allowed
 */
export function parseNodeEvents(text: string, file: string, nodeIds: NodeIds, utcOffset?: UtcOffset): NodeEvents {
  const moment = timeReader(utcOffset)
  const [heading, ...lines] = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  const names = heading.split('|').map((name) => name.replaceAll(/\s/g, ''))
  const place = (...either: ReadonlyArray<string>): number => names.findIndex((name) => either.includes(name))
  const [name, start, end] = [place('NodeName'), place('TimeStart', 'Start'), place('TimeEnd', 'End')]
  if (name < 0 || start < 0 || end < 0)
    throw new TraceError({ file, line: 1, found: `the columns ${names.join(', ').slice(0, 200)}`, expected })
  const last = Math.max(name, start, end)
  const found: Array<NodeOutage> = []
  let unknown = 0
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue
    const values = line.split('|')
    if (values.length > names.length && names.indexOf('Reason') >= 0 && names.indexOf('Reason') < last)
      throw new TraceError({
        file,
        line: index + 2,
        found: `${values.length} values for ${names.length} columns, because a Reason holds a bar`,
        expected: 'a file without the column Reason, or with Reason after all other columns',
      })
    const time = (at: number, field: string): number => {
      const value = values[at]?.trim() ?? ''
      const seconds = moment(value)
      if (seconds === undefined)
        throw new TraceError({
          file,
          line: index + 2,
          field,
          found: JSON.stringify(value),
          expected: 'a time such as 2014-08-01T12:00:00',
        })
      return seconds * 1000
    }
    if ((values[name] ?? '').trim() === '') continue
    const from = time(start, 'TimeStart')
    const isOpen = ['', 'Unknown', '0'].includes(values[end]?.trim() ?? '')
    const until = isOpen ? Infinity : Math.max(from, time(end, 'TimeEnd'))
    const nodes = nodeIds.find(values[name].trim())
    if ('unknown' in nodes) unknown++
    else for (const node of nodes.nodes) found.push({ node, from, until })
  }
  return { outages: joined(found), unknown }
}

/** Joins outages of one node that overlap or touch, and drops outages with a length of 0. */
function joined(outages: Array<NodeOutage>): ReadonlyArray<NodeOutage> {
  const result: Array<NodeOutage> = []
  for (const outage of outages.toSorted((a, b) => a.node - b.node || a.from - b.from)) {
    if (outage.until === outage.from) continue
    const before = result.at(-1)
    if (before !== undefined && before.node === outage.node && outage.from <= before.until)
      result[result.length - 1] = { ...before, until: Math.max(before.until, outage.until) }
    else result.push(outage)
  }
  return result
}
