/** Returns the shown order of tracks: pinned tracks first; in both groups by `order`, then in the order of `titles`. */
export function ordered(
  titles: ReadonlyArray<string>,
  order: ReadonlyArray<string>,
  pinned: ReadonlyArray<string>,
): ReadonlyArray<string> {
  const known = order.filter((title) => titles.includes(title))
  const all = [...new Set([...known, ...titles])]
  return [...all.filter((title) => pinned.includes(title)), ...all.filter((title) => !pinned.includes(title))]
}

/** Returns the order of tracks after the track `title` moved by `by` places among the pinned or the unpinned tracks. */
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
