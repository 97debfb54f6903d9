import { type Axis, type Figure, keysOf, type Place } from './figure.ts'
import { type OverTimeLook, panelsOf } from './over-time.ts'

/** Values of a field such as the wait of each job of a run (NaN: none), and sizes of the jobs, in submit order. */
export interface RunOfJobs {
  readonly name: string
  readonly sizes: ReadonlyArray<number>
  readonly values: ReadonlyArray<number>
}

/** Axis of the values of jobs. */
export interface ValuesOfJobs extends Pick<OverTimeLook, 'isInPanels'> {
  readonly label: string
  /** Divisor of the values, such as 3600 for values in seconds shown in hours. */
  readonly unit: number
  /** True if the values are lengths of time, in seconds. */
  readonly isTime?: boolean
  /** Scale of the axis; default: log. */
  readonly scale?: 'linear' | 'log'
}

/** Greatest number of points in the line of a distribution. */
const STEPS = 400

function valueAxis({ label, unit, isTime = false, scale = 'log' }: ValuesOfJobs): Axis {
  const ofTime = isTime ? { secondsInUnit: unit } : {}
  return { label, field: 'value', scale, ...ofTime, ...(scale === 'linear' ? { hasZero: true } : {}) }
}

/**
 * The distribution of the values for each class of job sizes (1, 2, 3-4, 5-8, …) and each run. A line spans the 10 % to
 * the 90 % quantile, a box the 25 % to the 75 % quantile, and a bold line shows the median.
 */
export function bySizeFigure(runs: ReadonlyArray<RunOfJobs>, values: ValuesOfJobs): Figure {
  const data = runs.flatMap((run) => classesOf(run, values.unit))
  const classes = [...new Set(data.map(({ sizes }) => sizes))].sort((a, b) => Number.parseInt(a) - Number.parseInt(b))
  const names = runs.map(({ name }) => name)
  return {
    x: {
      label: 'nodes',
      field: 'nodes',
      scale: 'linear',
      domain: [0, Math.max(1, classes.length)],
      ticks: classes.map((label, at) => ({ at: at + 0.5, label })),
    },
    panels: panelsOf(names, values, (shown) => {
      const width = 0.8 / shown.length
      const boxes = data.flatMap(({ run, sizes, ...quantiles }) => {
        const place = shown.indexOf(run)
        const x = classes.indexOf(sizes) + 0.1 + place * width
        return place < 0 ? [] : [{ x: x + width * 0.1, x2: x + width * 0.9, key: run, ...quantiles }]
      })
      const middle = ({ x, x2 }: { readonly x: number; readonly x2: number }): number => (x + x2) / 2
      return {
        y: valueAxis(values),
        marks: [
          { shape: 'rule', rows: boxes.map((box) => ({ x: middle(box), y: box.p10, y2: box.p90, key: box.key })) },
          { shape: 'rect', opacity: 0.5, rows: boxes.map((box) => ({ ...span(box), y: box.p25, y2: box.p75 })) },
          { shape: 'rule', isBold: true, rows: boxes.map((box) => ({ ...span(box), y: box.median })) },
        ],
      }
    }),
    keys: keysOf(names),
    keyField: 'run',
    data,
  }
}

function span({ x, x2, key }: { readonly x: number; readonly x2: number; readonly key: string }): Omit<Place, 'y'> {
  return { x, x2, key }
}

function classesOf({ name, sizes, values }: RunOfJobs, unit: number) {
  const classes = new Map<string, Array<number>>()
  for (const [at, size] of sizes.entries()) {
    if (Number.isNaN(values[at])) continue
    let to = 1
    while (to < size) to *= 2
    const key = to <= 2 ? String(to) : `${to / 2 + 1}-${to}`
    const members = classes.get(key)
    if (members === undefined) classes.set(key, [values[at]])
    else members.push(values[at])
  }
  return Array.from(classes, ([key, members]) => {
    const sorted = Float64Array.from(members).sort()
    const at = (part: number): number => sorted[Math.round(part * (sorted.length - 1))] / unit
    return {
      run: name,
      sizes: key,
      jobs: sorted.length,
      p10: at(0.1),
      p25: at(0.25),
      median: at(0.5),
      p75: at(0.75),
      p90: at(0.9),
    }
  })
}

/** A line for each run: for each value, the share of the jobs with at most this value. */
export function ecdfFigure(runs: ReadonlyArray<RunOfJobs>, values: ValuesOfJobs): Figure {
  const data = runs.flatMap(({ name, values: all }) => {
    const sorted = Float64Array.from(all.filter((value) => !Number.isNaN(value))).sort()
    const steps = Math.min(STEPS, sorted.length)
    return Array.from({ length: steps }, (_, step) => {
      const rank = Math.ceil(((step + 1) / steps) * sorted.length)
      return { run: name, value: sorted[rank - 1] / values.unit, share: rank / sorted.length }
    })
  })
  const names = runs.map(({ name }) => name)
  return {
    x: valueAxis(values),
    panels: panelsOf(names, values, (shown) => ({
      y: { label: 'share of jobs', field: 'share', scale: 'linear', format: 'share', domain: [0, 1] },
      marks: shown.map((name) => ({
        shape: 'steps',
        rows: data.filter(({ run }) => run === name).map(({ run, value, share }) => ({ x: value, y: share, key: run })),
      })),
    })),
    keys: keysOf(names),
    keyField: 'run',
    data,
  }
}
