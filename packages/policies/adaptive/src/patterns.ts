/** Patterns whose cost is known; section 3.3. */
export type Pattern = 'recursive-doubling' | 'recursive-halving-vector-doubling' | 'binomial-tree'
export const patterns: readonly ['recursive-doubling', 'recursive-halving-vector-doubling', 'binomial-tree'] =
  ['recursive-doubling', 'recursive-halving-vector-doubling', 'binomial-tree']

export function isPattern(name: string): name is Pattern { return (patterns as ReadonlyArray<string>).includes(name) }

/**
 * Calls back with the ranks of every pair, step by step from near to far: the order of steps makes no difference to equation
 * 6. In blocks of twice the distance the lower half talks to the upper half; in a binomial tree only the first rank of each
 * does. Pairs of which one rank does not exist are left out.
 */
export function forEachPair(pattern: Pattern, ranks: number, pair: (first: number, second: number) => void, endOfStep: () => void): void {
  for (let distance = 1; distance < ranks; distance *= 2) {
    const firsts = pattern === 'binomial-tree' ? 1 : distance
    for (let block = 0; block < ranks; block += 2 * distance) {
      const end = Math.min(block + firsts, ranks - distance)
      for (let first = block; first < end; first++) pair(first, first + distance)
    }
    endOfStep()
  }
}
