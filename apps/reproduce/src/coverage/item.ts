/** Figure, table, algorithm or numbered claim of a paper, with its counterpart here. */
export interface Item {
  /** Number and name of the item in the paper. */
  readonly item: string
  /** Words after `cloister`, or a test, that reproduce the item; undefined if it has no counterpart. */
  readonly command: string | undefined
  /**
   * Outcome of the reproduction.
   * - holds: every value lies within the paper's range or a tenth of it, and every claim holds as stated.
   * - in part: some values or claims do not agree, or the inputs differ from the paper's.
   * - does not hold: the paper's result does not come out.
   * - shown: a test has the example or the definition.
   * - none: without a counterpart.
   */
  readonly verdict: 'holds' | 'in part' | 'does not hold' | 'shown' | 'none'
  /** Missing or different parts that the verdict does not name. */
  readonly remark?: string
}

/** Returns an item that `cloister reproduce` makes again. */
export function reproduced(item: string, name: string, verdict: Item['verdict'], remark?: string): Item {
  return { item, command: `reproduce ${name}`, verdict, ...(remark === undefined ? {} : { remark }) }
}

/** Returns an item that the tests of a package cover. */
export function tested(item: string, filter: string, remark?: string): Item {
  return { item, command: `(tests of ${filter})`, verdict: 'shown', ...(remark === undefined ? {} : { remark }) }
}

/** Returns an item without a counterpart, with the reason. */
export function missing(item: string, remark: string): Item {
  return { item, command: undefined, verdict: 'none', remark }
}
