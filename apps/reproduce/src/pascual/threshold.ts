/** Points of a curve, in the order of rising `x`. */
export type Curve = ReadonlyArray<{ readonly x: number; readonly y: number }>

/**
 * Returns the `x` from which on a curve stays at or below a level. The `x` lies on the straight line from the curve's
 * last point above the level to the next point. If no point is above the level, returns the first `x`. Returns
 * undefined if the last point is above the level, or if the curve has no points.
 */
export function threshold(curve: Curve, level: number): number | undefined {
  const last = curve.findLastIndex(({ y }) => y > level)
  if (last === curve.length - 1) return undefined
  if (last < 0) return curve[0].x
  const [above, below] = [curve[last], curve[last + 1]]
  return above.x + ((above.y - level) / (above.y - below.y)) * (below.x - above.x)
}
