import { type Header, headerTopology, type LogRecord, RunTable } from '@cloister/eventlog'
import {
  fabricFigure,
  type Figure,
  ganttFigure,
  nodeTimeFigure,
  nodeTimeSharesFigure,
  type OverTimeLook,
  queueFigure,
  utilizationFigure,
} from '@cloister/figures'
import { MetricsFold, Timeline } from '@cloister/metrics'
import { attempt } from '@cloister/run'
import { Effect, Option } from 'effect'
import { Problem } from '../errors/errors.ts'
import { concludeReading, named, readRecords, remarkOnPart } from '../log/log-reading.ts'
import { noEpoch } from '../log/log-words.ts'
import { stateAt } from '../log/moment.ts'
import { remark } from '../terminal/output.ts'
import { rangeOf } from './axis-ranges.ts'
import { DownTimes, QueueSteps } from './over-time.ts'
import type { PlotRequest } from './request.ts'
import { namesOf } from './run-names.ts'

/** Greatest number of points of a line over time. */
const POINTS = 400

/** Something that takes the records of a log. */
interface Fold {
  readonly add: (record: LogRecord) => void
}

/** Reads a log into a fold. The times `begin` and `end` of the log or of its part are in seconds. */
const readInto = Effect.fnUntraced(function* <Made extends Fold>(path: string, make: (header: Header) => Made) {
  let fold: Made | undefined
  let first: Header | undefined
  let end = 0
  const outcome = yield* readRecords(path, (record) => {
    if (record.type === 'header') {
      first = record
      fold = make(record)
    } else end = record.t
    fold!.add(record)
  }).pipe(Effect.mapError((error) => named(path, error)))
  // Reading fails without a header.
  const header = first!
  const ofPart = remarkOnPart(path, header)
  if (ofPart !== undefined) yield* remark(ofPart)
  const begin = header.part?.from ?? 0
  return { path, outcome, header, fold: fold!, begin, end: Math.max(begin + 1, end) }
})

/** Reads all logs of a request, and returns the look of the time axis. */
export const readAll = Effect.fnUntraced(function* <Made extends Fold>(
  { files, names, time, panels, ...request }: PlotRequest,
  make: (header: Header) => Made,
) {
  const labels = yield* namesOf(files, names)
  const range = yield* rangeOf('x-range', request['x-range'], { seconds: 1 })
  const logs = yield* Effect.forEach(files, (path) => readInto(path, make))
  const epoch = time === 'clock' ? yield* epochOf(logs) : undefined
  const look: OverTimeLook = { isInPanels: panels, ...(epoch === undefined ? {} : { epoch }) }
  const runs = logs.map((log, at) => {
    const [from, to] = range ?? [log.begin, log.end]
    return { ...log, name: labels[at], nodes: headerTopology(log.header).nodes, from, to }
  })
  return { logs, runs, look }
})

/** Returns the Unix time of the start of all logs. */
const epochOf = (
  logs: ReadonlyArray<{ readonly path: string; readonly header: Header }>,
): Effect.Effect<number, Problem> => {
  const without = logs.find(({ header }) => header.epoch === undefined)
  const [first] = logs
  const other = logs.find(({ header }) => header.epoch !== first.header.epoch)
  if (without !== undefined) return Effect.fail(noEpoch(without.path))
  if (other !== undefined)
    return Effect.fail(
      new Problem(`--time clock: ${first.path} and ${other.path} start at different times; expected --time relative`),
    )
  return Effect.succeed(first.header.epoch!)
}

/** Points of a line for the width of a picture: 400 for 760 pixels, fewer for smaller pictures. */
export function pointsOf({ extent }: PlotRequest): number {
  return Math.min(POINTS, Math.ceil(extent.width / 1.9))
}

/** Draws busy nodes over time. */
export const figureOfUtilization = Effect.fnUntraced(function* (request: PlotRequest) {
  const { logs, runs, look } = yield* readAll(request, (header) => new Timeline(header))
  const figure = utilizationFigure(
    runs.map(({ fold, from, to, ...run }) => ({ ...run, means: fold.means(from, to, pointsOf(request)) })),
    look,
  )
  return { figure, conclude: concludeReading(logs) }
})

/** Draws node-time by use: over time for one log or with panels, else a bar for each log. */
export const figureOfNodeTime = Effect.fnUntraced(function* (request: PlotRequest) {
  const isOverTime = request.files.length === 1 || request.panels
  if (isOverTime) {
    const { logs, runs, look } = yield* readAll(request, (header) => new Timeline(header))
    const figure = nodeTimeFigure(
      runs.map(({ fold, from, to, ...run }) => ({ ...run, means: fold.means(from, to, pointsOf(request)) })),
      look,
    )
    return { figure: withUsesOf(logs, figure), conclude: concludeReading(logs) }
  }
  for (const option of ['x-range', 'y-range', 'time'] as const)
    if (request[option] !== undefined)
      return yield* new Problem(`--${option}: node-time of several logs draws bars; --panels draws times`)
  const { logs, runs } = yield* readAll(request, () => new MetricsFold())
  const shares = yield* attempt(() =>
    runs.map(({ name, fold }) => {
      const { nodeTime } = fold.result()
      const shown =
        nodeTime === null
          ? []
          : [
              nodeTime.busy,
              nodeTime.beyondRequest,
              nodeTime.down,
              nodeTime.noJob,
              nodeTime.tooFewNodes,
              nodeTime.fragmented,
            ]
      return { name, shares: shown }
    }),
  )
  return { figure: withUsesOf(logs, nodeTimeSharesFigure(shares)), conclude: concludeReading(logs) }
})

/**
 * Returns a figure of node-time. If a log is of a real machine, its idle nodes are not called fragmented, because the
 * log has no reason of the machine's scheduler.
 */
function withUsesOf(logs: ReadonlyArray<{ readonly header: Header }>, figure: Figure): Figure {
  if (logs.every(({ header }) => header.options.queue !== 'external')) return figure
  const named = <Name>(name: Name) => (name === 'fragmented' ? 'enough for a waiting job' : name)
  return {
    ...figure,
    keys: figure.keys.map((key) => ({ ...key, name: named(key.name) })),
    panels: figure.panels.map((panel) => ({
      ...panel,
      marks: panel.marks.map((mark) => ({ ...mark, rows: mark.rows.map((row) => ({ ...row, key: named(row.key) })) })),
    })),
    data: figure.data.map((row) => ({ ...row, cause: named(row['cause']) })),
  }
}

/** Draws the number of waiting jobs and their requested nodes over time. */
export const figureOfQueue = Effect.fnUntraced(function* (request: PlotRequest) {
  const { logs, runs, look } = yield* readAll(request, () => new QueueSteps())
  const points = pointsOf(request)
  const lines = runs.map(({ name, fold, from, to }) => ({ name, ...fold.means(from, to, points) }))
  return { figure: queueFigure(lines, look), conclude: concludeReading(logs) }
})

/** Most rectangles in a picture of jobs on nodes; programs for vector drawings work slowly with more. */
const MOST_BOXES = 10_000

/** Draws the jobs on the nodes over time, a panel for each log. */
export const figureOfNodes = Effect.fnUntraced(function* (request: PlotRequest) {
  const { logs, runs, look } = yield* readAll(request, () => {
    const [table, down] = [new RunTable({ allocations: true }), new DownTimes()]
    const add = (record: LogRecord): void => {
      table.add(record)
      down.add(record)
    }
    return { table, down, add }
  })
  const drawn = runs.map(({ name, nodes, fold: { table, down }, from, to }) => {
    const { allocations } = table
    const { job, start, released } = allocations.of
    const rows = Array.from({ length: allocations.length }, (_, row) => row)
    const jobs = rows.map((row) => ({
      job: table.idOf(job[row]),
      start: start[row] / 1000,
      end: (Number.isNaN(released[row]) ? table.now : released[row]) / 1000,
      ranges: allocations.rangesOf(row),
    }))
    const isShown = (each: { readonly start: number; readonly end: number }): boolean =>
      each.end >= from && each.start <= to
    return { name, nodes, jobs: jobs.filter(isShown), down: down.until(to).filter(isShown) }
  })
  const boxes = drawn.reduce((sum, { jobs }) => sum + jobs.reduce((own, { ranges }) => own + ranges.length / 2, 0), 0)
  if (boxes > MOST_BOXES)
    return yield* new Problem(
      `the picture would have ${boxes} rectangles, at most ${MOST_BOXES} are drawn; draw fewer hours by --x-range`,
    )
  return { figure: ganttFigure(drawn, look), conclude: concludeReading(logs) }
})

/** Draws the owners of nodes and links at one moment. */
export const figureOfFabric = Effect.fnUntraced(function* ({ files: [path], at, extent }: PlotRequest) {
  if (at === undefined) return yield* new Problem('fabric needs --at T: the moment to draw, in seconds')
  const { state, outcome } = yield* stateAt(path, { at: Option.some(at), seq: Option.none() })
  const { topology, header } = state
  const figure = fabricFigure(
    {
      topology,
      jobOfNode: (node) => state.nodeOwner(node)?.submit.job,
      jobOfLink:
        header.policy.claims.links === 'owned' ? (level, link) => state.linkOwner(level, link)?.submit.job : undefined,
      isNodeDown: (node) => state.downNodes.has(node),
      isLinkDown: (level, link) => state.downLinks[level].has(link),
    },
    extent,
  )
  return { figure, conclude: concludeReading([{ path, outcome }]) }
})
