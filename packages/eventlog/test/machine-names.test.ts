import {
  nodeName,
  parseTopology,
  switchName,
  switchNames,
  type Topology,
  withNodeNames,
  withSwitchNames,
} from '@cloister/topology'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeOutcome, type Header, headerTopology, type LogHeader } from '../src/index.ts'
import { read } from './reading.ts'
import { type Call, sampleHeader, topologies, writeLog } from './sample-logs.ts'

const end: Call = (to) =>
  to.record({ type: 'end', t: 0, submitted: 0, started: 0, finished: 0, rejected: 0, killed: 0, cancelled: 0 })
const header: LogHeader = sampleHeader()
const logOf = (topology: Topology): Buffer => Buffer.from(writeLog(header, topology, [end]))
const headerOf = (topology: Topology): Header => read(logOf(topology)).records[0] as Header

/** Names of all nodes, and of all switches of each level. */
const namesOf = (topology: Topology): unknown => [
  Array.from({ length: topology.nodes }, (_, node) => nodeName(topology, node)),
  topology.levels.map(({ switches }, level) =>
    Array.from({ length: switches }, (_, sw) => switchName(topology, level, sw)),
  ),
]

/** Names such as `leaf7` and `r02s010b`: their hostlists have ranges, numbers of several widths, and gaps. */
const name = fc
  .tuple(fc.constantFrom('leaf', 'isw', 'r02s', 'é'), fc.nat(20), fc.constantFrom('', 'b'), fc.boolean())
  .map(([prefix, number, suffix, isWide]) => `${prefix}${isWide ? String(number).padStart(3, '0') : number}${suffix}`)

/** Machine of which nodes, switches, both or none have names, and switches have given or invented names. */
const machine = fc.constantFrom(...topologies).chain((topology) => {
  const few = (count: number) => fc.uniqueArray(name, { minLength: count, maxLength: count })
  const invented = switchNames(topology)
  const ofSwitches = fc.oneof(
    few(invented.length),
    fc.constant(invented),
    fc.shuffledSubarray(invented, { minLength: invented.length }),
  )
  return fc
    .tuple(fc.option(few(topology.nodes), { nil: undefined }), fc.option(ofSwitches, { nil: undefined }))
    .map(([nodes, switches]) => {
      const named = nodes === undefined ? topology : withNodeNames(topology, nodes)
      return switches === undefined ? named : withSwitchNames(named, switches)
    })
})

describe('names of nodes and switches in a header', () => {
  it('headerTopology gives each node and each switch the name that it had for the writer', () => {
    fc.assert(
      fc.property(machine, (topology) => {
        expect(namesOf(headerTopology(headerOf(topology)))).toEqual(namesOf(topology))
      }),
    )
  })

  it('a header has switch_names only if a switch has another name than the topology gives it', () => {
    for (const topology of topologies) {
      const invented = switchNames(topology)
      expect(logOf(withSwitchNames(topology, invented))).toEqual(logOf(topology))
      expect(headerOf(topology)).not.toHaveProperty('switch_names')
      const swapped = [invented.at(-1)!, ...invented.slice(1, -1), invented[0]]
      if (invented.length > 1) expect(headerOf(withSwitchNames(topology, swapped))).toHaveProperty('switch_names')
    }
  })

  it.each([
    ['a[', 'wrong "switch_names"'],
    ['a[1-8],a[9-20]', '"switch_names" is not the canonical hostlist'],
    ['a[1-19]', 'impossible "topology": radix:4: expected 20 switch names, found 19'],
    ['a[1-21]', 'wrong "switch_names"'],
    ['a,a,b[1-18]', 'impossible "topology": radix:4: the switch name "a" occurs twice'],
    ['leaf[0-7],l2-[0-7],spine[0-3]', '"switch_names" has no name of its own'],
  ])('a header with the switch_names %s is refused', (names, reason) => {
    const [line] = logOf(parseTopology('radix:4')).toString().split('\n', 1)
    const { outcome } = read(Buffer.from(`${line.slice(0, -1)},"switch_names":"${names}"}\n`))
    expect(describeOutcome(outcome)).toContain(reason)
  })
})
