import { MAX_IDS, MAX_LEVELS, show, TopologyError } from './topology-error.ts'
import type { PgftShape, SwitchLevel, Topology } from './topology.ts'

/**
 * Builds PGFT(h; m; w; p): a switch of level l ≥ 1 has m[l-1] children, w[l] parents and p[l] cables to each parent
 * (Zahavi, "D-Mod-K routing providing non-blocking traffic for shift permutations on real life fat trees", 2010).
 *
 * Switch ids of level l are the mixed-radix number (a_h, …, a_{l+1}, b_1, …, b_l), a_h most significant. The digit a_i
 * < m_i is the number of a subtree within the next larger subtree, the digit b_i < w_i the number of a parallel switch.
 * So L2 switch i of pod t is t·w2 + i, and L2 switch i of every pod reaches the spines i·w3 … i·w3 + w3 - 1. Up-port u
 * of a switch of level l leads to the parent with b_{l+1} = u mod w_{l+1}.
 *
 * @param name name of the topology; default: the canonical `pgft:` spec
 * @throws TopologyError for wrong numbers, for a node with several leaves or cables, or for a machine that is too large
 */
export function pgft(shape: PgftShape, name?: string): Topology {
  const m = factors(shape, 'm')
  const w = factors(shape, 'w')
  const p = factors(shape, 'p')
  checkSameHeight(m, w, p)
  checkOneLeafANode(w, p)
  checkSize(m, w, p)

  const levels = m.map((_, level) => switchLevel(m, w, p, level))
  const nodes = product(m)
  const leaves = levels[0].switches
  const leavesPerPod = m[1] ?? 1
  const pods = leaves / leavesPerPod
  return {
    name: name ?? formatPgft({ m, w, p }),
    pgft: { m, w, p },
    nodes,
    leaves,
    pods,
    levels,
    firstNodeOfLeaf: evenStarts(leaves, m[0]),
    leafOfNode: evenOwners(nodes, m[0]),
    firstLeafOfPod: evenStarts(pods, leavesPerPod),
    podOfLeaf: evenOwners(leaves, leavesPerPod),
    firstL2OfPod: evenStarts(pods, w[1] ?? 0),
  }
}

/** Returns the canonical `pgft:` spec of a shape, such as `pgft:3;18,18,4;1,18,2;1,1,9`. */
export function formatPgft({ m, w, p }: PgftShape): string {
  return `pgft:${m.length};${m.join()};${w.join()};${p.join()}`
}

function switchLevel(
  m: ReadonlyArray<number>,
  w: ReadonlyArray<number>,
  p: ReadonlyArray<number>,
  level: number,
): SwitchLevel {
  const parallel = product(w.slice(0, level + 1))
  const subtrees = product(m.slice(level + 1))
  const switches = subtrees * parallel
  if (level === m.length - 1)
    return { switches, links: 0, firstPort: new Int32Array(switches + 1), parentOfLink: new Int32Array(0) }

  const parents = w[level + 1]
  const upPorts = parents * p[level + 1]
  const parentOfLink = new Int32Array(switches * upPorts)
  let link = 0
  for (let subtree = 0; subtree < subtrees; subtree++) {
    const subtreeAbove = Math.floor(subtree / m[level + 1])
    for (let b = 0; b < parallel; b++) {
      const firstParent = (subtreeAbove * parallel + b) * parents
      for (let port = 0; port < upPorts; port++) parentOfLink[link++] = firstParent + (port % parents)
    }
  }
  return { switches, links: link, firstPort: evenStarts(switches, upPorts), parentOfLink }
}

function factors(shape: PgftShape, key: 'm' | 'w' | 'p'): ReadonlyArray<number> {
  const values: unknown = shape?.[key]
  if (!Array.isArray(values)) throw new TopologyError('expected a list of numbers, one a level', { field: key })
  for (const [i, value] of (values as unknown[]).entries()) {
    if (!Number.isInteger(value) || (value as number) < 1 || (value as number) > MAX_IDS) {
      throw new TopologyError(`expected an integer from 1 to ${MAX_IDS}, found ${show(value)}`, {
        field: `${key}${i + 1}`,
      })
    }
  }
  return Object.freeze([...(values as number[])])
}

function checkSameHeight(m: ReadonlyArray<number>, w: ReadonlyArray<number>, p: ReadonlyArray<number>): void {
  const height = m.length
  if (height < 1 || height > MAX_LEVELS)
    throw new TopologyError(`expected 1 to ${MAX_LEVELS} levels, found ${height}`, { field: 'm' })
  for (const [field, { length }] of Object.entries({ w, p }))
    if (length !== height)
      throw new TopologyError(`expected ${height} numbers, as many as m has, found ${length}`, { field })
}

function checkOneLeafANode(w: ReadonlyArray<number>, p: ReadonlyArray<number>): void {
  if (w[0] !== 1) throw new TopologyError(`expected 1, found ${w[0]}: a node hangs on one leaf`, { field: 'w1' })
  if (p[0] !== 1) throw new TopologyError(`expected 1, found ${p[0]}: a node has one cable`, { field: 'p1' })
}

function checkSize(m: ReadonlyArray<number>, w: ReadonlyArray<number>, p: ReadonlyArray<number>): void {
  const nodes = product(m)
  if (nodes > MAX_IDS)
    throw new TopologyError(`too large: ${nodes} nodes, at most ${MAX_IDS} are supported`, { field: 'm' })
  for (let level = 0; level + 1 < m.length; level++) {
    const links = product(m.slice(level + 1)) * product(w.slice(0, level + 2)) * p[level + 1]
    if (links > MAX_IDS) {
      throw new TopologyError(`too large: ${links} links above level ${level + 1}, at most ${MAX_IDS} are supported`, {
        field: `w${level + 2}`,
      })
    }
  }
}

function product(values: ReadonlyArray<number>): number {
  return values.reduce((result, value) => result * value, 1)
}

/** Returns 0, size, 2·size, …, count·size. */
function evenStarts(count: number, size: number): Int32Array {
  const starts = new Int32Array(count + 1)
  for (let i = 1; i <= count; i++) starts[i] = i * size
  return starts
}

/** Returns the group of each id from 0 to `count` - 1. A group has `size` consecutive ids. */
function evenOwners(count: number, size: number): Int32Array {
  const owners = new Int32Array(count)
  for (let i = 0; i < count; i++) owners[i] = Math.floor(i / size)
  return owners
}

/**
 * Coordinates of a switch in a regular tree with h levels, for level index `l` (0: leaves). `subtree` is (a_h, …,
 * a_{l+2}): the number of the subtree with the switch at each level above, top first. `parallel` is (b_1, …, b_{l+1}):
 * the number of the parallel switch at each level up to the switch's level (b_1 is always 0). So an L2 switch of
 * radix:18 is `{ subtree: [pod], parallel: [0, i] }`.
 */
export interface Coordinates {
  readonly subtree: ReadonlyArray<number>
  readonly parallel: ReadonlyArray<number>
}

/** Returns the coordinates of a switch. @throws TopologyError if the topology is no regular tree or lacks the switch */
export function coordinates(topology: Topology, level: number, sw: number): Coordinates {
  const bases = digitBases(topology, level)
  if (!(sw >= 0 && sw < topology.levels[level].switches))
    throw new TopologyError(`level ${level} has no switch ${sw}`, { source: topology.name })
  const digits: number[] = []
  let rest = sw
  for (let i = bases.length - 1; i >= 0; i--) {
    digits[i] = rest % bases[i]
    rest = Math.floor(rest / bases[i])
  }
  const upper = bases.length - (level + 1)
  return { subtree: digits.slice(0, upper), parallel: digits.slice(upper) }
}

/**
 * Returns the switch at some coordinates: the inverse of `coordinates`.
 *
 * @throws TopologyError if the topology is no regular tree or has no switch at the coordinates
 */
export function switchAt(topology: Topology, level: number, { subtree, parallel }: Coordinates): number {
  const bases = digitBases(topology, level)
  const digits = [...subtree, ...parallel]
  if (subtree.length !== bases.length - (level + 1) || parallel.length !== level + 1) {
    throw new TopologyError(`expected ${bases.length - (level + 1)} subtree and ${level + 1} parallel digits`, {
      source: topology.name,
    })
  }
  return digits.reduce((id, digit, i) => {
    if (!Number.isInteger(digit) || digit < 0 || digit >= bases[i]) {
      throw new TopologyError(`expected a digit from 0 to ${bases[i] - 1}, found ${digit}`, {
        source: topology.name,
        field: `coordinate ${i}`,
      })
    }
    return id * bases[i] + digit
  }, 0)
}

/** Returns the bases of the mixed-radix ids of a level's switches, most significant first. */
function digitBases(topology: Topology, level: number): number[] {
  const shape: PgftShape | undefined = topology.pgft
  if (shape === undefined)
    throw new TopologyError('coordinates exist only in a regular tree', { source: topology.name })
  if (topology.levels[level] === undefined)
    throw new TopologyError(`there is no level ${level}, only 0 to ${shape.m.length - 1}`, { source: topology.name })
  return [...shape.m.slice(level + 1).reverse(), ...shape.w.slice(0, level + 1)]
}
