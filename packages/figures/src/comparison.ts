import { type Figure, type Key, keysOf, type Place, seriesColors } from './figure.ts'
import { rowsAxis } from './over-time.ts'

/** Mean of a figure over a group of runs, and half the width of the mean's 95 % interval; null if unknown. */
export interface ComparedRuns {
  /** Name of the row of the picture. */
  readonly name: string
  /** Name of the series in the row, such as a policy; absent for rows with one series. */
  readonly series?: string
  readonly mean: number
  readonly half: number | null
  /** Value of the figure in every run of the group; empty if no dots are drawn. */
  readonly values: ReadonlyArray<number>
  /** Value of another source, such as a paper, for the same runs; absent if unknown. */
  readonly beside?: number
}

/** Choices for a comparison. */
export interface ComparisonLook {
  readonly label: string
  /** Name of the metric, such as `wait.mean`, for the columns of the numbers. */
  readonly metric: string
  /** Unit of the values: shares from 0 to 1, or seconds; absent for other numbers. */
  readonly unit?: 'share' | 'seconds'
  /** `points` has points with intervals, `bars` has bars from 0 with intervals. Default: points. */
  readonly shape?: 'points' | 'bars'
  /** Name of the source of the values `beside`, in the legend. Default: paper. */
  readonly besideName?: string
}

const INTERVAL = 'mean and 95 % interval'

/** A row for each name with the mean of each series, its 95 % interval, and a dot for every run. */
export function comparisonFigure(
  groups: ReadonlyArray<ComparedRuns>,
  { label, metric, unit, shape = 'points', besideName = 'paper' }: ComparisonLook,
): Figure {
  const names = [...new Set(groups.map(({ name }) => name))]
  const series = [...new Set(groups.map((group) => group.series ?? INTERVAL))]
  const besides = groups.some(({ beside }) => beside !== undefined)
  const lanes = series.length * (shape === 'bars' && besides ? 2 : 1)
  const height = series.length === 1 && lanes === 1 ? 0.6 : 0.8 / lanes
  const placed = groups.map((group) => {
    const at = series.indexOf(group.series ?? INTERVAL)
    const first = names.indexOf(group.name) + 0.5 - (lanes * height) / 2
    const lane = (at * lanes) / series.length
    const top = first + lane * height
    return { ...group, key: series[at], top, middle: top + height / 2 }
  })
  const dots = placed.flatMap(({ key, middle, values }): Array<Place> => values.map((x) => ({ x, y: middle, key })))
  const known = placed.flatMap((each) => (each.half === null ? [] : [{ ...each, half: each.half }]))
  const edges = known.flatMap(({ key, middle, mean, half }) =>
    [mean - half, mean + half].map((x): Place => ({ x, y: middle, key: shape === 'bars' ? '' : key })),
  )
  const rules = known.map(({ key, middle, mean, half }): Place => ({
    x: mean - half,
    x2: mean + half,
    y: middle,
    key: shape === 'bars' ? '' : key,
  }))
  const intervals = [
    { shape: 'rule' as const, rows: rules, isBold: shape === 'points' },
    { shape: 'edge' as const, rows: edges },
  ]
  const paper = placed.flatMap(({ beside, top, middle }) => (beside === undefined ? [] : [{ beside, top, middle }]))
  return {
    x: {
      label,
      field: 'value',
      scale: 'linear',
      hasZero: shape === 'bars',
      ...(unit === 'seconds' ? { secondsInUnit: 1 } : {}),
      ...(unit === 'share' ? { format: unit } : {}),
    },
    panels: [
      {
        y: rowsAxis(names),
        marks:
          shape === 'bars'
            ? [
                {
                  shape: 'rect',
                  rows: placed.map(({ key, mean, top }) => ({ x: 0, x2: mean, y: top, y2: top + height * 0.9, key })),
                },
                {
                  shape: 'rect',
                  rows: paper.map(({ beside, top }) => ({
                    x: 0,
                    x2: beside,
                    y: top + height,
                    y2: top + height * 1.9,
                    key: besideName,
                  })),
                },
                ...intervals,
              ]
            : [
                { shape: 'ring', rows: dots, opacity: 0.5 },
                ...intervals,
                {
                  shape: 'point',
                  rows: placed.map((each) => ({
                    x: each.mean,
                    y: each.middle,
                    key: each.key,
                    text: titleOf(each, unit),
                  })),
                },
                { shape: 'ring', rows: paper.map(({ beside, middle }) => ({ x: beside, y: middle, key: besideName })) },
              ],
      },
    ],
    keys: [
      ...keysOf(series),
      ...(besides ? [paperKey(besideName)] : []),
      ...(dots.length > 0 && shape === 'points'
        ? [{ name: 'a run', color: seriesColors[0], isEmpty: true, isNamed: series.length === 1 }]
        : []),
    ],
    keyField: 'series',
    data: groups.map(({ name, series: own, mean, half, values, beside }) => ({
      runs: name,
      ...(own === undefined ? {} : { series: own }),
      count: values.length,
      [metric]: mean,
      'interval.low': half === null ? null : mean - half,
      'interval.high': half === null ? null : mean + half,
      ...(besides ? { [`${besideName}.${metric}`]: beside ?? null } : {}),
    })),
  }
}

/** Returns the tooltip of a point: the name of the row, the mean and the interval. */
function titleOf({ name, mean, half }: ComparedRuns, unit: ComparisonLook['unit']): string {
  const text = (value: number): string =>
    unit === 'share' ? `${(100 * value).toFixed(2)} %` : String(Number(value.toPrecision(4)))
  return `${name}: ${text(mean)}${half === null ? '' : `, ${text(mean - half)} to ${text(mean + half)}`}`
}

function paperKey(name: string): Key {
  return { name, color: '#222222', isEmpty: true }
}
