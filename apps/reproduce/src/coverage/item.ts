/** A figure, a table, an algorithm or a numbered claim of a paper, and what stands for it here. */
export interface Item {
  /** As the paper numbers it, and what it is. */
  readonly item: string
  /** What makes it again: words after `cloister`, or a test; undefined where nothing does. */
  readonly command: string | undefined
  /**
   * holds: every value within the paper's range or a tenth of it, every claim as stated. in part: some are not, or on other inputs than
   * the paper's. does not hold. shown: an example or a definition, which a test has. none: without a counterpart.
   */
  readonly verdict: 'holds' | 'in part' | 'does not hold' | 'shown' | 'none'
  /** What is missing or other, where the verdict does not say it. */
  readonly remark?: string
}

/** What a command makes again. */
export function reproduced(item: string, name: string, verdict: Item['verdict'], remark?: string): Item {
  return { item, command: `reproduce ${name}`, verdict, ...(remark === undefined ? {} : { remark }) }
}

/** What the tests of a package have. */
export function tested(item: string, filter: string, remark?: string): Item {
  return { item, command: `(tests of ${filter})`, verdict: 'shown', ...(remark === undefined ? {} : { remark }) }
}

/** What has no counterpart, and why. */
export function missing(item: string, remark: string): Item {
  return { item, command: undefined, verdict: 'none', remark }
}
