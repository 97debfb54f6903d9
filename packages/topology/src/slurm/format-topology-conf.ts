import { formatHostlist } from '../names/hostlist.ts'
import { nodeName, switchName } from '../names/names.ts'
import type { Topology } from '../topology.ts'

/**
 * Returns a Slurm `topology.conf`, leaves first. The format has no field for parallel cables. If the nodes of each leaf
 * are in natural order, `parseSlurmTopology` reads the same graph and names, with single cables.
 *
 * @throws HostlistError if a name fits in no hostlist
 */
export function formatTopologyConf(topology: Topology): string {
  const lines: string[] = []
  for (let leaf = 0; leaf < topology.leaves; leaf++) {
    const names: string[] = []
    for (let node = topology.firstNodeOfLeaf[leaf]; node < topology.firstNodeOfLeaf[leaf + 1]; node++)
      names.push(nodeName(topology, node))
    lines.push(`SwitchName=${switchName(topology, 0, leaf)} Nodes=${formatHostlist(names)}`)
  }
  for (let level = 1; level < topology.levels.length; level++) {
    childrenByParent(topology, level).forEach((children, sw) => {
      const names = [...children].map((child) => switchName(topology, level - 1, child))
      lines.push(`SwitchName=${switchName(topology, level, sw)} Switches=${formatHostlist(names)}`)
    })
  }
  return `${lines.join('\n')}\n`
}

function childrenByParent({ levels }: Topology, level: number): Array<Set<number>> {
  const { switches, firstPort, parentOfLink } = levels[level - 1]
  const children = Array.from({ length: levels[level].switches }, () => new Set<number>())
  for (let child = 0; child < switches; child++) {
    for (let link = firstPort[child]; link < firstPort[child + 1]; link++) children[parentOfLink[link]].add(child)
  }
  return children
}
