import { TopologyError } from '../topology-error.ts'
import type { PgftShape, Topology } from '../topology.ts'

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
