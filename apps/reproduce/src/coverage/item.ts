/** Figure, table, algorithm or claim of a paper, with the command or test that reproduces it. */
export interface Item {
  /** Number and name of the item in the paper. */
  readonly item: string
  /** Command (without `cloister`) or tests that reproduce the item; undefined if nothing reproduces the item. */
  readonly command: string | undefined
  /**
   * Outcome of the reproduction.
   * - holds: every value lies in the paper's range, or outside by at most a tenth of the range; every claim holds.
   * - in part: some values or claims do not agree with the paper, or the inputs differ from the paper's inputs.
   * - does not hold: the reproduction does not have the paper's result.
   * - shown: tests check the paper's example or definition.
   * - none: no command and no test reproduces the item.
   */
  readonly verdict: 'holds' | 'in part' | 'does not hold' | 'shown' | 'none'
  /** Explanation of the verdict: parts of the item that are missing or different. */
  readonly remark?: string
}

/** Returns an item that `cloister reproduce NAME` reproduces. */
export function reproduced(item: string, name: string, verdict: Item['verdict'], remark?: string): Item {
  return { item, command: `reproduce ${name}`, verdict, ...(remark === undefined ? {} : { remark }) }
}

/** Returns an item that the tests of a package cover. @param filter folder of the package */
export function tested(item: string, filter: string, remark?: string): Item {
  return { item, command: `(tests of ${filter})`, verdict: 'shown', ...(remark === undefined ? {} : { remark }) }
}

/** Returns an item that nothing reproduces. @param remark reason why */
export function missing(item: string, remark: string): Item {
  return { item, command: undefined, verdict: 'none', remark }
}
