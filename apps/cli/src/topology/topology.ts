import { isFullBisection, type SwitchLevel, tapersOf, type Topology } from '@cloister/topology'
import { Effect } from 'effect'
import { print } from '../terminal/output.ts'
import { count } from '../terminal/quantities.ts'
import { fields, table } from '../terminal/table.ts'
import { describeTaper, levelName, taperText } from './taper.ts'
import { findTopology } from './topology-lookup.ts'

export interface ShowOptions {
  readonly spec: string
  readonly json: boolean
}

export const showTopology = Effect.fn(function* ({ spec, json }: ShowOptions) {
  const topology = yield* findTopology(spec)
  yield* print(json, summary(topology), () => describe(topology))
})

function summary(topology: Topology) {
  const tapers = tapersOf(topology)
  return {
    name: topology.name,
    pgft: topology.pgft,
    irregularity: topology.irregularity,
    remarks: topology.remarks,
    nodes: topology.nodes,
    leaves: topology.leaves,
    pods: topology.pods,
    /** True if every switch below the top has at least as many links up as down. */
    isFullBisection: isFullBisection(topology),
    levels: topology.levels.map((level, i) => ({
      level: levelName(i),
      switches: level.switches,
      links: level.links,
      upPorts: upPorts(level),
      /** Links down and up of the most tapered switch of the level, or null at the top level. */
      taper: tapers.at(i) ?? null,
    })),
  }
}

function describe(topology: Topology): string {
  const nodesOfLeaf = range(topology.firstNodeOfLeaf)
  const leavesOfPod = range(topology.firstLeafOfPod)
  const facts = fields([
    ['topology', topology.name],
    ...(topology.irregularity === undefined ? [] : [['no regular tree', topology.irregularity] as const]),
    ['nodes', count(topology.nodes)],
    ['leaves', `${count(topology.leaves)} of ${nodesOfLeaf} nodes`],
    ['pods', `${count(topology.pods)} of ${leavesOfPod} leaves`],
    ...(topology.nodeNames === undefined
      ? []
      : [['node names', `${topology.nodeNames[0]} … ${topology.nodeNames[topology.nodes - 1]}`] as const]),
  ])
  const tapers = tapersOf(topology)
  const taper = describeTaper(topology)
  const levels = table(
    ['level', 'switches', 'up-ports each', 'links up', 'down : up'],
    topology.levels.map((level, i) => [
      levelName(i),
      count(level.switches),
      level.links === 0 ? '-' : range(level.firstPort),
      level.links === 0 ? '-' : count(level.links),
      i < tapers.length ? taperText(tapers[i]) : '-',
    ]),
  )
  const tapered =
    taper === undefined
      ? []
      : [
          `The tree is tapered (${taper}). A policy that claims full bandwidth leaves nodes without an uplink idle: cloister policy show NAME --topology '${topology.name}' shows the claims of a policy.`,
        ]
  return [facts, levels, ...tapered, ...(topology.remarks === undefined ? [] : [topology.remarks.join('\n')])].join(
    '\n\n',
  )
}

function upPorts(level: SwitchLevel): { readonly min: number; readonly max: number } {
  return { min: Math.min(...differences(level.firstPort)), max: Math.max(...differences(level.firstPort)) }
}

/** Returns the least and the largest difference of neighbours in `firsts`: `16-18`, or `18` if equal. */
function range(firsts: ArrayLike<number>): string {
  const sizes = differences(firsts)
  const min = Math.min(...sizes)
  const max = Math.max(...sizes)
  return min === max ? `${min}` : `${min}-${max}`
}

function differences(firsts: ArrayLike<number>): number[] {
  return Array.from({ length: firsts.length - 1 }, (_, i) => firsts[i + 1] - firsts[i])
}
