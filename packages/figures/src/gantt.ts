import { type Figure, type Place, seriesColors } from './figure.ts'
import { type OverTimeLook, timeAxis } from './over-time.ts'

/** Job on nodes of a run, from `start` to `end` in seconds. `ranges` has the first and the last node of each range. */
export interface JobOnNodes {
  readonly job: string
  readonly start: number
  readonly end: number
  readonly ranges: ArrayLike<number>
}

/** All jobs of a run on the nodes of its machine. */
export interface RunOnNodes {
  readonly name: string
  readonly nodes: number
  readonly jobs: ReadonlyArray<JobOnNodes>
  /** Nodes that are down, in ranges, from `start` to `end`. */
  readonly down: ReadonlyArray<Omit<JobOnNodes, 'job'>>
}

/** Name of the series of nodes that are down. */
const DOWN = 'down'
const DOWN_COLOR = '#5a1414'

/** Nodes over time: a rectangle for each range of nodes of a job, in one of six colours, a panel for each run. */
export function ganttFigure(runs: ReadonlyArray<RunOnNodes>, look: OverTimeLook = {}): Figure {
  const ids = [...new Set(runs.flatMap(({ jobs }) => jobs.map(({ job }) => job)))]
  const hasDown = runs.some(({ down }) => down.length > 0)
  const end = Math.max(1, ...runs.flatMap(({ jobs }) => jobs.map((job) => job.end)))
  const begin = Math.min(end - 1, ...runs.flatMap(({ jobs }) => jobs.map((job) => job.start)))
  return {
    x: { ...timeAxis(look), domain: [begin, end] },
    panels: runs.map(({ name, nodes, jobs, down }) => ({
      ...(runs.length > 1 ? { title: name } : {}),
      y: { label: 'nodes', field: 'node', scale: 'linear', domain: [0, nodes] },
      marks: [
        { shape: 'rect', rows: down.flatMap((each) => boxesOf({ ...each, job: DOWN })) },
        {
          shape: 'rect',
          hasBorder: true,
          rows: jobs.flatMap((each) => boxesOf(each).map((box) => ({ ...box, text: each.job }))),
        },
      ],
    })),
    keys: [...jobKeys(ids), ...(hasDown ? [{ name: DOWN, color: DOWN_COLOR }] : [])],
    keyField: 'job',
    data: runs.flatMap(({ name, jobs }) =>
      jobs.flatMap(({ job, start, end: until, ranges }) =>
        pairs(ranges).map(([first, last]) => ({ run: name, job, start, end: until, first, last })),
      ),
    ),
  }
}

/** Returns keys without names in the legend: jobs have six light colours in turn, so that their labels are legible. */
export function jobKeys(jobs: ReadonlyArray<string>): Figure['keys'] {
  return jobs.map((name, at) => ({ name, color: jobColors[at % jobColors.length], isNamed: false }))
}

/** The first six colours of `seriesColors`, each mixed with the same amount of white. */
const jobColors: ReadonlyArray<string> = seriesColors
  .slice(0, -1)
  .map(
    (color) =>
      `#${[1, 3, 5]
        .map((from) => Math.round((Number.parseInt(color.slice(from, from + 2), 16) + 255) / 2).toString(16))
        .join('')}`,
  )

function boxesOf({ job, start, end, ranges }: JobOnNodes): ReadonlyArray<Place> {
  return pairs(ranges).map(([first, last]) => ({ x: start, x2: end, y: first, y2: last + 1, key: job }))
}

function pairs(ranges: ArrayLike<number>): ReadonlyArray<readonly [first: number, last: number]> {
  return Array.from({ length: ranges.length / 2 }, (_, at) => [ranges[2 * at], ranges[2 * at + 1]])
}
