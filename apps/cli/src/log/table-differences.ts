import { RoutedPaths, type TableDifferences } from '@cloister/eventlog'
import { idsetSize, nodeName, switchName, type Topology } from '@cloister/topology'
import type { NamedDifferences, NamedPort } from '../results/diff.ts'
import { counted } from '../terminal/quantities.ts'
import { table } from '../terminal/table.ts'
import type { LogWords } from './log-words.ts'

/** Returns the differences of forwarding tables with the names of switches, and with the other ends of ports. */
export function namedDifferences(
  topology: Topology,
  { switches, entries, differences }: TableDifferences,
): NamedDifferences {
  const paths = new RoutedPaths(topology, { port: () => -1 })
  const named = (level: number, sw: number, port: number): NamedPort | null => {
    if (port < 0) return null
    const end = paths.endOf({ level, sw }, port)
    if (end === undefined) return { port, to: null }
    return {
      port,
      to: end.link === undefined ? nodeName(topology, end.node) : switchName(topology, end.to.level, end.to.sw),
    }
  }
  return {
    switches,
    entries,
    differences: differences.map(({ level, sw, nodes, portA, portB }) => ({
      switch: switchName(topology, level, sw),
      nodes,
      a: named(level, sw, portA),
      b: named(level, sw, portB),
    })),
  }
}

/** Number of rows in a table of differences. */
const ROWS = 10

/** Describes differences of forwarding tables under a title, with a table of the first differences. */
export function describeTableDifferences(
  title: string,
  { switches, entries, differences }: NamedDifferences,
  words: LogWords,
): string {
  const rows = differences
    .slice(0, ROWS)
    .map((each) => [each.switch, nodesInWords(each.nodes, words), inWords(each.a), inWords(each.b)])
  const left = differences.slice(ROWS)
  const rest = left.reduce((sum, { nodes }) => sum + idsetSize(nodes), 0)
  return [
    `${title}: ${counted(entries, 'entry', 'entries')} at ${counted(switches, 'switch', 'switches')}`,
    table(['switch', 'messages for nodes', 'in a', 'in b'], rows),
    ...(rest === 0 ? [] : [`and ${counted(rest, 'more entry', 'more entries')}`]),
  ].join('\n')
}

function nodesInWords(nodes: string, words: LogWords): string {
  const named = words.nodes(nodes)
  return named.length <= 40 ? named : counted(idsetSize(nodes), 'node')
}

function inWords(port: NamedPort | null): string {
  if (port === null) return 'no entry'
  return `port ${port.port}, to ${port.to ?? 'no part of the machine'}`
}
