/** Test of a smaller case. The result is true if the case has the same fault as the first case. */
export type IsWrong<Case> = (one: Case) => Promise<boolean>

/** Method to shrink a case. The result has the same fault. Without success, the result is the case itself. */
export type Shrink<Case> = (one: Case, isWrong: IsWrong<Case>) => Promise<Case>

/**
 * Returns a minimal faulty subset of items by delta debugging (Zeller and Hildebrandt 2002), without complements. Large
 * parts are left out first, then single items, until every item is needed. The result is 1-minimal.
 */
export async function fewest<Item>(
  items: ReadonlyArray<Item>,
  isWrong: IsWrong<ReadonlyArray<Item>>,
): Promise<ReadonlyArray<Item>> {
  let kept = items
  for (let part = Math.ceil(items.length / 2); part > 0;) {
    const before = kept.length
    for (let at = 0; at < kept.length;) {
      const tried = [...kept.slice(0, at), ...kept.slice(at + part)]
      if (await isWrong(tried)) kept = tried
      else at += part
    }
    if (part > 1) part = Math.ceil(Math.min(part, kept.length) / 2)
    else if (kept.length === before) part = 0
  }
  return kept
}

/** Returns a small faulty number with a sound number just below: `least` if faulty, else the result of halving. */
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

/** Applies all methods in turn, until no method shrinks the case. */
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
