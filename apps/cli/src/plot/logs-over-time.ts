import { headerTopology } from '@cloister/eventlog'
import { MetricsFold, Timeline } from '@cloister/metrics'
import { drawNodeTime, drawNodeTimeShares, drawUtilization, type Extent, type Picture } from '@cloister/viewer/pictures'
import { Effect } from 'effect'
import { attempt } from '../errors/attempt.ts'
import { LogContentError } from '../errors/errors.ts'
import { concludeReading, readRecords, remarkOnPart } from '../log/log-reading.ts'
import { remark } from '../terminal/output.ts'
import { emptyDocument } from './document.ts'
import { namesOf } from './names-of-files.ts'

/** Number of points of each line over time in a picture. */
const POINTS = 400

/** Draws busy nodes over time (`utilization`), or the use of all nodes (`node-time`: over time; several logs: bars). */
export const drawOverTime = Effect.fnUntraced(function* (
  kind: 'utilization' | 'node-time',
  files: ReadonlyArray<string>,
  extent: Extent,
) {
  const names = namesOf(files)
  const read = yield* Effect.forEach(files, readLog)
  const runs = read.map(({ timeline, nodes, begin, end }, at) => ({
    name: names[at],
    nodes,
    means: timeline.means(begin, Math.max(begin + 1, end), POINTS),
  }))
  const document = emptyDocument()
  const shares = read.map(({ nodeTime }, at) => ({
    name: names[at],
    shares:
      nodeTime === null
        ? []
        : [
            nodeTime.busy,
            nodeTime.beyondRequest,
            nodeTime.down,
            nodeTime.noJob,
            nodeTime.tooFewNodes,
            nodeTime.fragmented,
          ],
  }))
  const picture: Picture =
    kind === 'utilization'
      ? drawUtilization(document, extent, runs)
      : runs.length === 1
        ? drawNodeTime(document, extent, runs[0])
        : drawNodeTimeShares(document, extent, shares)
  yield* concludeReading(read)
  return picture
})

const readLog = Effect.fnUntraced(function* (path: string) {
  let timeline: Timeline | undefined
  let [nodes, begin, end] = [0, 0, 0]
  let ofPart: string | undefined
  const fold = new MetricsFold()
  const outcome = yield* readRecords(path, (record) => {
    if (record.type === 'header') {
      timeline = new Timeline(record)
      nodes = headerTopology(record).nodes
      begin = record.part?.from ?? 0
      ofPart = remarkOnPart(path, record)
    } else end = record.t
    fold.add(record)
    timeline!.add(record)
  }).pipe(Effect.mapError((error) => ('path' in error ? error : new LogContentError({ path, cause: error }))))
  if (ofPart !== undefined) yield* remark(ofPart)
  const { nodeTime } = yield* attempt(() => fold.result())
  // The header sets `timeline`; without a header `fold.result()` throws.
  return { path, outcome, timeline: timeline!, nodes, begin, end, nodeTime }
})
