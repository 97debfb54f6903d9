/**
 * Returns the tracks in their shown order: first the pinned tracks, then the unpinned tracks. Within both groups,
 * tracks in `order` come first, in its order; the rest follows in the order of `titles`.
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
 * Returns the order of tracks after one track has moved by a number of places. A pinned track stays among the pinned
 * tracks, and an unpinned track stays among the unpinned tracks.
 *
 * @param shown result of `ordered`
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
