import { useMemo } from 'preact/hooks'
import { css, themeColor } from '../drawing/colors.ts'
import type { TimeScale, Track } from '../extensions.ts'
import { type AnsweredQuery, answeredQuery, chosenRow, showRow, timeOfRow } from '../state/asked-query.ts'
import type { Span } from '../state/view-state.ts'

/** Height of a mark with the gap below it, and least width of a mark, in CSS pixels. */
const [LANE, LEAST] = [6, 3]
/** Distance from a mark at which a click still means the mark, in CSS pixels. */
const NEAR = 3

interface Marks {
  readonly answered: AnsweredQuery
  /** Time of each row; undefined for a row without a time. */
  readonly times: ReadonlyArray<Span | undefined>
  readonly chosen: number | undefined
}

/** Track with a mark for each row of the shown query with a time. A click on a mark zooms to the row. */
export const queryMarks: Track<Marks> = {
  name: 'query',
  height: 48,
  style: 'query-marks',
  isOffered: () => answeredQuery.value?.query.columns.some(({ mark }) => mark === 'begin' || mark === 'time') === true,
  useData: useMarks,
  draw: (context, scale, { times, chosen }) => {
    const draw = (at: number, color: string): void => {
      const place = placeOf(times, at, scale)
      if (place === undefined) return
      context.fillStyle = css(themeColor(color))
      context.fillRect(place.left, place.top, place.right - place.left, LANE - 1)
    }
    for (let at = times.length - 1; at >= 0; at--) draw(at, '--line-1')
    if (chosen !== undefined) draw(chosen, '--accent')
  },
  legend: ({ data }) => (data === undefined ? null : <span>{data.answered.query.description}</span>),
  tip: ({ times, answered: { query, rows } }, scale, x, y) => {
    const at = rowAt(times, scale, x, y)
    return at === undefined ? '' : `row ${at + 1}: ${query.columns[0].name} ${rows[at][query.columns[0].name] ?? '–'}`
  },
  click: ({ times, answered }, scale, x, y) => {
    const at = rowAt(times, scale, x, y)
    if (at !== undefined) showRow(answered, at)
    return at !== undefined
  },
  describe: (data) =>
    data === undefined
      ? 'Times of the rows of a query'
      : `Times of the ${data.times.length} rows of the query ${data.answered.query.name}`,
}

function useMarks(): Marks | undefined {
  const [answered, chosen] = [answeredQuery.value, chosenRow.value]
  return useMemo(() => {
    if (answered === undefined) return undefined
    const last = answered.run.overview.peek()?.lastTime ?? 0
    return { answered, chosen, times: answered.rows.map((row) => timeOfRow(answered.query.columns, row, last)) }
  }, [answered, chosen])
}

interface Place {
  readonly left: number
  readonly right: number
  readonly top: number
}

/** Returns the place of a row's mark. The rows fill the lanes from the top, again and again. */
function placeOf(times: Marks['times'], at: number, { x, left, width, height }: TimeScale): Place | undefined {
  const time = times[at]
  if (time === undefined) return undefined
  const [from, to] = [Math.max(left, x(time.from)), Math.min(width, x(time.to))]
  if (to < left || from > width) return undefined
  return { left: from, right: Math.max(to, from + LEAST), top: (at % Math.floor(height / LANE)) * LANE }
}

/** Returns the row of the mark at a point: the shortest mark near the point in the lane of the point. */
function rowAt(times: Marks['times'], scale: TimeScale, x: number, y: number): number | undefined {
  let [found, shortest]: [number | undefined, number] = [undefined, Infinity]
  for (let at = 0; at < times.length; at++) {
    const place = placeOf(times, at, scale)
    if (place === undefined || y < place.top || y >= place.top + LANE) continue
    const length = place.right - place.left
    if (x >= place.left - NEAR && x <= place.right + NEAR && length < shortest) [found, shortest] = [at, length]
  }
  return found
}
