/** Whether a smaller one still is as wrong as the first. */
export type IsWrong<Case> = (one: Case) => Promise<boolean>

/** A way to make a case smaller: gives one that is as wrong, or the same. */
export type Shrink<Case> = (one: Case, isWrong: IsWrong<Case>) => Promise<Case>

/**
 * As few items as are wrong by themselves: larger parts are left out first, then single items, until none of them can be
 * (delta debugging, Zeller and Hildebrandt 2002, without its complements). What comes out is 1-minimal.
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

/** A number as small as is wrong, one below which is not: `least` if that is, else what halving finds. */
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

/** Shrinks in every way, in turn, until none makes it smaller. */
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
