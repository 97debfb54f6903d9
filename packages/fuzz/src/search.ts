/** Function that returns true if a smaller case has the same fault as the first case of the search. */
export type IsWrong<Case> = (one: Case) => Promise<boolean>

/** Function that returns a smaller case with the same fault, or the same object if no smaller case is found. */
export type Shrink<Case> = (one: Case, isWrong: IsWrong<Case>) => Promise<Case>

/**
 * Returns a faulty subset of items that is 1-minimal: without any single item the fault is gone. The method is delta
 * debugging (Zeller and Hildebrandt 2002) by complements only: leaves out large parts first, then single items.
 */
export async function fewest<Item>(
  items: ReadonlyArray<Item>,
  isWrong: IsWrong<ReadonlyArray<Item>>,
): Promise<ReadonlyArray<Item>> {
  let left = items
  for (let part = Math.ceil(items.length / 2); part > 0;) {
    const before = left.length
    for (let at = 0; at < left.length;) {
      const tried = [...left.slice(0, at), ...left.slice(at + part)]
      if (await isWrong(tried)) left = tried
      else at += part
    }
    if (part > 1) part = Math.ceil(Math.min(part, left.length) / 2)
    else if (left.length === before) part = 0
  }
  return left
}

/** Returns by bisection a faulty number from `least` to `from`: `least`, or a number whose predecessor is sound. */
export async function leastNumber(from: number, least: number, isWrong: IsWrong<number>): Promise<number> {
  if (from <= least) return from
  if (await isWrong(least)) return least
  let [right, wrong] = [least, from]
  while (wrong - right > 1) {
    const middle = Math.floor((right + wrong) / 2)
    if (await isWrong(middle)) wrong = middle
    else right = middle
  }
  return wrong
}

/** Applies all functions of `shrinks` in turn, until no function finds a smaller case. */
export async function smallest<Case>(
  from: Case,
  shrinks: ReadonlyArray<Shrink<Case>>,
  isWrong: IsWrong<Case>,
): Promise<Case> {
  for (let one = from; ;) {
    const before = one
    for (const shrink of shrinks) one = await shrink(one, isWrong)
    if (one === before) return one
  }
}
