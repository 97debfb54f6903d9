/** A curve's points, by rising `x`. */
export type Curve = ReadonlyArray<{ readonly x: number; readonly y: number }>

/**
 * From which `x` on a curve stays at or below a level: on the straight line from its last point above to the next one. Its first `x`
 * where no point is above; undefined where the last one is, or there is none.
 */
export function threshold(curve: Curve, level: number): number | undefined {
  const last = curve.findLastIndex(({ y }) => y > level)
  if (last === curve.length - 1) return undefined
  if (last < 0) return curve[0].x
  const [above, below] = [curve[last], curve[last + 1]]
  return above.x + ((above.y - level) / (above.y - below.y)) * (below.x - above.x)
}
