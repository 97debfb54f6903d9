import { contention, patternOf } from '@cloister/communication'
import { FlowPathsBuilder, maxMinRates } from '@cloister/network'
import { parseTopology } from '@cloister/topology'
import { Effect } from 'effect'
import type { Experiment } from '../experiment/reproduction.ts'
import { networkOf } from '../interference/study.ts'
import { compare, state } from '../report/comparison.ts'
import { mean, threeDigits } from '../report/numbers.ts'
import { reportOf } from '../report/report.ts'

/** Machine of Figure 1: 50 nodes on two switches. The Mishra paper states no uplinks; here each switch has one. */
const topology = parseTopology('pgft:2;25,2;1,1;1,1')
/** Bandwidth of gigabit Ethernet, in GB/s. */
const GIGABIT = 0.125
/** Size of a message of the allgather, in MB. An allgather of large messages sends round a ring. */
const MESSAGE = 1
/** Correlation of contention factor and time, as the Mishra paper states it (5.3). */
const CORRELATION = 0.83

/** Numbers of the second job's 12 nodes that are on the first switch; undefined if the second job does not run. */
const others: ReadonlyArray<number | undefined> = [undefined, ...Array.from({ length: 13 }, (_, at) => at)]

/** Experiment on Figure 1: a job of four nodes on each of two switches, with and without a second job of 12 nodes. */
export const fig1: Experiment = Effect.sync(() => {
  const [alone, ...found] = others.map((onFirst) => measure(onFirst))
  const onBoth = found.slice(1, -1)
  const table = {
    title:
      'Time of an allgather of 8 nodes, four on each switch, beside a second allgather of 12 nodes, over its time alone',
    heading: ['nodes of the second allgather', 'mean contention (equations 2 and 3)', 'time'],
    rows: [alone, ...found].map(({ name, factor, time }) => [
      name,
      threeDigits(factor),
      (time / alone.time).toFixed(2),
    ]),
  }
  return reportOf(
    [table],
    [
      compare(
        '5.3',
        'correlation of contention factor and time, second allgather absent or on both switches',
        'ratio',
        CORRELATION,
        correlationOf([alone, ...onBoth]),
      ),
      compare(
        '5.3',
        'correlation of contention factor and time, second allgather absent or anywhere',
        'ratio',
        CORRELATION,
        correlationOf([alone, ...found]),
      ),
      state(
        '1',
        'the first allgather takes longer while the second is on both switches',
        onBoth.every(({ time }) => time > alone.time),
      ),
    ],
  )
})

interface Measured {
  readonly name: string
  readonly factor: number
  /** Time of the first job's allgather, in milliseconds. */
  readonly time: number
}

function measure(onFirst: number | undefined): Measured {
  const own = nodesOn(4, 4, 0)
  const other = onFirst === undefined ? [] : nodesOn(onFirst, 12 - onFirst, 4)
  const communicating = (leaf: number): number =>
    [...own, ...other].filter((node) => topology.leafOfNode[node] === leaf).length
  const factors: Array<number> = []
  patternOf('ring').forEachPair(
    own.length,
    (a, b) =>
      factors.push(contention(topology, communicating, topology.leafOfNode[own[a]], topology.leafOfNode[own[b]])),
    () => {},
  )
  const name = onFirst === undefined ? 'does not run' : `${onFirst} and ${12 - onFirst}`
  return { name, factor: mean(factors), time: timeOf(own, other) }
}

/** Returns `first` nodes of the first switch and `second` nodes of the second; skips `taken` nodes of each switch. */
function nodesOn(first: number, second: number, taken: number): ReadonlyArray<number> {
  const from = (leaf: number, count: number): ReadonlyArray<number> =>
    Array.from({ length: count }, (_, at) => topology.firstNodeOfLeaf[leaf] + taken + at)
  return [...from(0, first), ...from(1, second)]
}

/** Returns the time of the first job's allgather in ms: the number of steps times the time of the slowest message. */
function timeOf(own: ReadonlyArray<number>, other: ReadonlyArray<number>): number {
  const { path, capacity } = networkOf(topology, { node: GIGABIT, levels: [GIGABIT] }, 'D-mod-k', 1)
  const flows = new FlowPathsBuilder()
  for (const nodes of [own, other])
    for (const [rank, node] of nodes.entries()) flows.add(path, node, nodes[(rank + 1) % nodes.length])
  const rates = maxMinRates(flows.build(), capacity, new Float64Array(own.length + other.length).fill(1))
  const slowest = own.reduce((least, _, flow) => Math.min(least, rates[flow]), Infinity)
  return ((own.length - 1) * MESSAGE) / slowest
}

/** Returns Pearson's correlation of contention factor and time. */
function correlationOf(measured: ReadonlyArray<Measured>): number {
  const [factor, time] = [mean(measured.map((each) => each.factor)), mean(measured.map((each) => each.time))]
  const sumOf = (term: (each: Measured) => number): number => measured.reduce((sum, each) => sum + term(each), 0)
  const both = sumOf((each) => (each.factor - factor) * (each.time - time))
  return both / Math.sqrt(sumOf((each) => (each.factor - factor) ** 2) * sumOf((each) => (each.time - time) ** 2))
}
