import type { TracedHop } from './simulated-fabric.ts'

/** Part of a topology: a maximal tree of its radix. Every switch below the top has as many up-ports as down-ports. */
interface Tree {
  readonly levels: ReadonlyArray<{ readonly firstPort: ArrayLike<number> }>
}

interface SwitchPlace {
  readonly level: number
  readonly sw: number
}

/** Returns level and link of each hop between switches. */
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

/** Returns the link of an up-port; ports count from 1, down-ports first. */
export function linkAt({ levels }: Tree, { level, sw }: SwitchPlace, port: number): number {
  const { firstPort } = levels[level]
  return firstPort[sw] + port - 1 - (firstPort[1] - firstPort[0])
}

/** Returns level and number of a switch in an exported fabric, by GUID; undefined for a node. */
function switchOf(guid: string): SwitchPlace | undefined {
  return guid.startsWith('0x0002')
    ? { level: Number.parseInt(guid.slice(6, 8), 16) - 1, sw: Number.parseInt(guid.slice(8, 16), 16) - 1 }
    : undefined
}
