/** Points of a curve, by rising `x`. */
export type Curve = ReadonlyArray<{ readonly x: number; readonly y: number }>

/**
 * Returns the `x` from which on a curve stays at or below a level: on the straight line from its last point above the
 * level to the next point. If no point is above, the first `x`. Undefined if the last point is above or there is none.
 */
export function threshold(curve: Curve, level: number): number | undefined {
  const last = curve.findLastIndex(({ y }) => y > level)
  if (last === curve.length - 1) return undefined
  if (last < 0) return curve[0].x
  const [above, below] = [curve[last], curve[last + 1]]
  return above.x + ((above.y - level) / (above.y - below.y)) * (below.x - above.x)
}
