import type { TimelineFigure } from '@cloister/metrics'
import type { Topology } from '@cloister/topology'
import { type Moment, noOwner } from './questions.ts'

const known = new WeakMap<Moment, Readonly<Record<TimelineFigure, number>>>()

/** Returns the figures of a timeline (busy nodes, waiting jobs, …) at a moment, also at a record within an instant. */
export function figuresOf(moment: Moment, topology: Topology): Readonly<Record<TimelineFigure, number>> {
  // A dozen numbers of the page need the figures of the same moment, so the figures are cached.
  const figures = known.get(moment) ?? counted(moment, topology)
  known.set(moment, figures)
  return figures
}

function counted(
  { running, free, down, waiting, smallest, nodeOwners, leafLinks, upperLinks }: Moment,
  { nodes, firstNodeOfLeaf, firstLeafOfPod, leaves, pods }: Topology,
): Readonly<Record<TimelineFigure, number>> {
  const busy = running.reduce((sum, { size }) => sum + size, 0)
  const isWhole = (first: number, end: number): boolean => {
    for (let node = first; node < end; node++) if (nodeOwners[node] !== noOwner.free) return false
    return true
  }
  let [wholeLeaves, wholePods] = [0, 0]
  for (let leaf = 0; leaf < leaves; leaf++) if (isWhole(firstNodeOfLeaf[leaf], firstNodeOfLeaf[leaf + 1])) wholeLeaves++
  for (let pod = 0; pod < pods; pod++)
    if (isWhole(firstNodeOfLeaf[firstLeafOfPod[pod]], firstNodeOfLeaf[firstLeafOfPod[pod + 1]])) wholePods++
  const external = waiting > 0 ? free : 0
  const tooFewNodes = smallest !== null && smallest > free ? free : 0
  return {
    busy,
    internal: nodes - free - down - busy,
    idle: free,
    external,
    noJob: free - external,
    tooFewNodes,
    fragmented: external - tooFewNodes,
    down,
    wholeLeaves,
    wholePods,
    waiting,
    slowed: running.reduce((sum, { size, rate }) => sum + (rate < 1000 ? size : 0), 0),
    leafLinks,
    upperLinks,
  }
}
