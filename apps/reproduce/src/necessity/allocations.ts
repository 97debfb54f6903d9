/**
 * Allocation on a three-level tree with single cables, on which every switch has as many uplinks as downlinks. Sets of
 * L2 indices and of spines are masks.
 */
export interface Balanced {
  /** Pod of each leaf, ascending. */
  readonly pods: ReadonlyArray<number>
  /** L2 indices to which each leaf has an uplink. The leaf has as many nodes as uplinks. */
  readonly leaves: ReadonlyArray<number>
  /** Spines to which the L2 switch of each index has an uplink, at `[index][pod]`. */
  readonly spines: ReadonlyArray<ReadonlyArray<number>>
}

/** Size of a tree: number of pods, of leaves of a pod, of L2 switches of a pod (nodes of a leaf), and of spines of an index. */
export interface TreeSize {
  readonly pods: number
  readonly leaves: number
  readonly l2: number
  readonly spines: number
}

/**
 * Yields every balanced allocation of at most `most` nodes in several pods, up to the names of pods, leaves, L2 indices
 * and spines. (In one pod, every balanced allocation with full bandwidth meets the conditions: the two-level case.)
 */
export function* balancedAllocations(tree: TreeSize, most: number): Generator<Balanced> {
  const known = new Set<string>()
  for (const pods of podsOf(tree, most)) {
    const name = canonicalLeaves(tree, pods)
    if (known.has(name)) continue
    known.add(name)
    yield* withSpines(tree, pods)
  }
}

type Pods = ReadonlyArray<ReadonlyArray<number>>

/** Yields the leaves of one or more pods, each with its mask of L2 indices; leaves and pods are in descending order. */
function* podsOf(tree: TreeSize, most: number): Generator<Pods> {
  const all = [...podsWith(most, (1 << tree.l2) - 1, tree.leaves)].filter(({ length }) => length > 0)
  function* grow(pods: Pods, left: number, from: number): Generator<Pods> {
    if (pods.length > 0) yield pods
    if (pods.length === tree.pods) return
    for (let at = from; at < all.length; at++) {
      const needed = all[at].reduce((sum, leaf) => sum + bits(leaf), 0)
      if (needed <= left) yield* grow([...pods, all[at]], left - needed, at)
    }
  }
  yield* grow([], most, 0)
}

function* podsWith(left: number, top: number, leaves: number): Generator<ReadonlyArray<number>> {
  yield []
  if (leaves === 0) return
  for (let leaf = top; leaf > 0; leaf--)
    if (bits(leaf) <= left) for (const rest of podsWith(left - bits(leaf), leaf, leaves - 1)) yield [leaf, ...rest]
}

function* withSpines(tree: TreeSize, pods: Pods): Generator<Balanced> {
  const known = new Set<string>()
  const same = automorphisms(tree, pods)
  const base = { pods: pods.flatMap((leaves, pod) => leaves.map(() => pod)), leaves: pods.flat() }
  if (pods.length === 1) {
    yield { ...base, spines: range(tree.l2).map(() => [0]) }
    return
  }
  const patterns = range(tree.l2).map((index) => [
    ...spinePatterns(
      tree.spines,
      pods.map((leaves) => leaves.filter((leaf) => (leaf >> index) & 1).length),
    ),
  ])
  for (const choice of product(patterns)) {
    // `choice[index]` has the number of spines for each set of pods.
    const name = same.map((each) => renamed(choice, each)).reduce((a, b) => (b < a ? b : a))
    if (known.has(name)) continue
    known.add(name)
    yield { ...base, spines: choice.map((counts) => masksOf(counts, pods.length)) }
  }
}

/**
 * Yields the numbers of spines by the set of pods that have an uplink to the spine: entry p - 1 for the set with the mask
 * p. Pod k has `wanted[k]` spines, and all sets together have at most `spines`.
 */
function* spinePatterns(spines: number, wanted: ReadonlyArray<number>): Generator<ReadonlyArray<number>> {
  const sets = (1 << wanted.length) - 1
  function* grow(
    counts: ReadonlyArray<number>,
    left: ReadonlyArray<number>,
    free: number,
  ): Generator<ReadonlyArray<number>> {
    const set = counts.length + 1
    if (set > sets) {
      if (left.every((each) => each === 0)) yield counts
      return
    }
    const members = range(wanted.length).filter((pod) => (set >> pod) & 1)
    const most = Math.min(free, ...members.map((pod) => left[pod]))
    for (let count = 0; count <= most; count++)
      yield* grow(
        [...counts, count],
        left.map((each, pod) => ((set >> pod) & 1 ? each - count : each)),
        free - count,
      )
  }
  yield* grow([], wanted, spines)
}

function masksOf(counts: ReadonlyArray<number>, pods: number): ReadonlyArray<number> {
  const masks = Array.from({ length: pods }, () => 0)
  let spine = 0
  counts.forEach((count, at) => {
    for (let k = 0; k < count; k++, spine++)
      for (let pod = 0; pod < pods; pod++) if (((at + 1) >> pod) & 1) masks[pod] |= 1 << spine
  })
  return masks
}

interface Renaming {
  readonly index: ReadonlyArray<number>
  readonly pod: ReadonlyArray<number>
}

function renamings(tree: TreeSize, pods: number): ReadonlyArray<Renaming> {
  return permutations(tree.l2).flatMap((index) => permutations(pods).map((pod) => ({ index, pod })))
}

/** Returns a text that is equal for leaves that differ only in the names of pods, leaves and L2 indices. */
function canonicalLeaves(tree: TreeSize, pods: Pods): string {
  return permutations(tree.l2)
    .map((index) => namesOf(pods, index).sort().join(' '))
    .reduce((a, b) => (b < a ? b : a))
}

function namesOf(pods: Pods, index: ReadonlyArray<number>): Array<string> {
  return pods.map((leaves) =>
    leaves
      .map((leaf) => mapMask(leaf, index))
      .sort((a, b) => b - a)
      .join(','),
  )
}

/** Returns the renamings of pods and L2 indices under which the leaves of an allocation stay the same. */
function automorphisms(tree: TreeSize, pods: Pods): ReadonlyArray<Renaming> {
  const own = namesOf(pods, range(tree.l2))
  return renamings(tree, pods.length).filter(({ index, pod }) =>
    namesOf(pods, index).every((name, at) => name === own[pod[at]]),
  )
}

function renamed(choice: ReadonlyArray<ReadonlyArray<number>>, { index, pod }: Renaming): string {
  const out: Array<string> = []
  choice.forEach((counts, at) => {
    const moved = counts.map(() => 0)
    counts.forEach((count, set) => (moved[mapMask(set + 1, pod) - 1] = count))
    out[index[at]] = moved.join(',')
  })
  return out.join(' ')
}

function mapMask(mask: number, to: ReadonlyArray<number>): number {
  return to.reduce((mapped, target, at) => mapped | (((mask >> at) & 1) << target), 0)
}

export function bits(mask: number): number {
  let count = 0
  for (let left = mask; left !== 0; left &= left - 1) count++
  return count
}

export function permutations(n: number): ReadonlyArray<ReadonlyArray<number>> {
  if (n === 0) return [[]]
  return permutations(n - 1).flatMap((rest) => range(n).map((at) => [...rest.slice(0, at), n - 1, ...rest.slice(at)]))
}

function product<A>(lists: ReadonlyArray<ReadonlyArray<A>>): ReadonlyArray<ReadonlyArray<A>> {
  return lists.reduce<ReadonlyArray<ReadonlyArray<A>>>(
    (heads, list) => heads.flatMap((head) => list.map((each) => [...head, each])),
    [[]],
  )
}

function range(n: number): ReadonlyArray<number> {
  return Array.from({ length: n }, (_, at) => at)
}
