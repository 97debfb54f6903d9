import type { TracedHop } from './simulated-fabric.ts'

/** Topology of a full fat tree: a switch below the top has as many up-ports as down-ports. */
interface Tree {
  readonly levels: ReadonlyArray<{ readonly firstPort: ArrayLike<number> }>
}

interface SwitchPlace {
  readonly level: number
  readonly sw: number
}

/** Returns the level and the number of the link of each hop between two switches, without hops from and to nodes. */
export function linksOf(
  tree: Tree,
  hops: ReadonlyArray<TracedHop>,
): ReadonlyArray<readonly [level: number, link: number]> {
  return hops.flatMap((hop) => {
    const from = switchOf(hop.from)
    const to = switchOf(hop.to)
    if (from === undefined || to === undefined) return []
    return [
      from.level < to.level
        ? ([from.level, linkAt(tree, from, hop.outPort)] as const)
        : ([to.level, linkAt(tree, to, hop.inPort)] as const),
    ]
  })
}

/** Returns the number of the link at an up-port of a switch. Port numbers begin at 1, with the down-ports. */
export function linkAt({ levels }: Tree, { level, sw }: SwitchPlace, port: number): number {
  const { firstPort } = levels[level]
  return firstPort[sw] + port - 1 - (firstPort[1] - firstPort[0])
}

/** Reads the level and the number of a switch from its GUID in an exported fabric; undefined for the GUID of a node. */
function switchOf(guid: string): SwitchPlace | undefined {
  return guid.startsWith('0x0002')
    ? { level: Number.parseInt(guid.slice(6, 8), 16) - 1, sw: Number.parseInt(guid.slice(8, 16), 16) - 1 }
    : undefined
}
