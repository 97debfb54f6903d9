/**
 * Tracks as they are shown: those that are pinned first, then the others, each in the order that was chosen; of those that it
 * does not name, as they come.
 */
export function ordered(
  titles: ReadonlyArray<string>,
  order: ReadonlyArray<string>,
  pinned: ReadonlyArray<string>,
): ReadonlyArray<string> {
  const known = order.filter((title) => titles.includes(title))
  const all = [...new Set([...known, ...titles])]
  return [...all.filter((title) => pinned.includes(title)), ...all.filter((title) => !pinned.includes(title))]
}

/**
 * The order once a track has moved by some places: not beyond its end, nor from the pinned ones to the others.
 *
 * @param shown as `ordered` gave it
 */
export function moved(
  shown: ReadonlyArray<string>,
  title: string,
  by: number,
  pinned: ReadonlyArray<string>,
): ReadonlyArray<string> {
  const isPinned = pinned.includes(title)
  const group = shown.filter((each) => pinned.includes(each) === isPinned)
  const from = group.indexOf(title)
  const rest = group.filter((each) => each !== title)
  const to = Math.max(0, Math.min(rest.length, from + by))
  const now = [...rest.slice(0, to), title, ...rest.slice(to)]
  const others = shown.filter((each) => pinned.includes(each) !== isPinned)
  return isPinned ? [...now, ...others] : [...others, ...now]
}
