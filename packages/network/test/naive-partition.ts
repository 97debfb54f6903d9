import type { Resources } from '@cloister/placement'
import { portInTree, switchInTree, type Topology, wholeShape } from '@cloister/topology'

/**
 * Returns the routes of the partition router by its three rules, with lists and recursion, for comparison with the
 * faster tables. The returned function gives the link (`up` or down) by which a switch forwards messages for a node,
 * the node itself at its leaf, or undefined for no entry.
 */
export function naivePartition(
  topology: Topology,
  resources: Resources,
): (level: number, sw: number, node: number) => { readonly up: boolean; readonly id: number } | undefined {
  const { levels, leafOfNode } = topology
  const { w } = wholeShape(topology)!
  const nodes = Array.from(resources.nodes)
  const own = levels.map((_, level) => Array.from(resources.links[level] ?? []))
  const lowerOf = (level: number, link: number): number =>
    levels[level].firstPort.findLastIndex((first) => first <= link)
  const linksUp = (level: number, sw: number): ReadonlyArray<number> =>
    own[level].filter((link) => lowerOf(level, link) === sw)
  const linksDown = (level: number, sw: number): ReadonlyArray<number> =>
    level === 0 ? [] : own[level - 1].filter((link) => levels[level - 1].parentOfLink[link] === sw)
  const parent = (level: number, link: number): number => levels[level].parentOfLink[link]

  const goesDown = once((level, sw, node): boolean =>
    level === 0
      ? leafOfNode[node] === sw
      : linksDown(level, sw).some((link) => goesDown(level - 1, lowerOf(level - 1, link), node)),
  )
  const reaches = once(
    (level, sw, node): boolean =>
      goesDown(level, sw, node) || linksUp(level, sw).some((link) => reaches(level + 1, parent(level, link), node)),
  )

  /** Returns links in order: the first cable to each parent, then the second cable to each parent, and so on. */
  const inOrder = (level: number, links: ReadonlyArray<number>): ReadonlyArray<number> => {
    const rank = (link: number): number =>
      links.filter((other) => other < link && parent(level, other) === parent(level, link)).length
    return [...links].sort((a, b) => rank(a) - rank(b) || parent(level, a) - parent(level, b))
  }
  const parallel = (level: number, sw: number): number =>
    switchInTree(topology, level, sw) % w.slice(0, level + 1).reduce((a, b) => a * b, 1)
  const number = (level: number, link: number): number => portInTree(topology, level, link) % w[level + 1]

  interface Step {
    readonly key: number
    readonly at: number
    readonly link: number | undefined
    readonly cable: number
  }
  const descents = new Map<number, ReadonlyArray<Step>>()
  for (const [j, node] of nodes.entries()) {
    const steps: Array<Step> = []
    let at: number | undefined = leafOfNode[node]
    for (let level = 0; at !== undefined && level + 1 < levels.length; level++) {
      const own = parallel(level, at)
      const key =
        level === 0
          ? j
          : [...descents.values()].filter(
              (each) => each[level] !== undefined && parallel(level, each[level].at) === own,
            ).length
      const links = inOrder(level, linksUp(level, at))
      const link: number | undefined = links.length === 0 ? undefined : links[key % links.length]
      const cable =
        link === undefined
          ? 0
          : links.filter((other) => other < link && parent(level, other) === parent(level, link)).length
      steps.push({ key, at, link, cable })
      at = link === undefined ? undefined : parent(level, link)
    }
    descents.set(node, steps)
  }

  return (level, sw, node) => {
    if (!nodes.includes(node) || !reaches(level, sw, node)) return undefined
    const descent = descents.get(node)!
    if (goesDown(level, sw, node)) {
      if (level === 0) return { up: false, id: node }
      const cables = linksDown(level, sw).filter((link) => goesDown(level - 1, lowerOf(level - 1, link), node))
      return { up: false, id: cables[(descent[level - 1]?.cable ?? 0) % cables.length] }
    }
    const step = descent[level]
    const towards = inOrder(level, linksUp(level, sw)).filter((link) => reaches(level + 1, parent(level, link), node))
    if (step?.link !== undefined) {
      const cables = towards.filter((link) => number(level, link) === number(level, step.link!)).sort((a, b) => a - b)
      if (cables.length > 0) return { up: true, id: cables[step.cable % cables.length] }
    }
    return { up: true, id: towards[(step?.key ?? 0) % towards.length] }
  }
}

/** Returns a function with the results of `compute` that computes each result only once. */
function once(compute: (level: number, sw: number, node: number) => boolean): typeof compute {
  const known = new Map<string, boolean>()
  return (level, sw, node) => {
    const key = `${level} ${sw} ${node}`
    const value = known.get(key) ?? compute(level, sw, node)
    known.set(key, value)
    return value
  }
}
