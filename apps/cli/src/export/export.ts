import type { LogRecord } from '@cloister/eventlog'
import { batsimJobs, batsimSchedule, chromeTrace, opensmFiles, paje, swfOfLog } from '@cloister/exports'
import { Effect, Option } from 'effect'
import type { exportFormats } from './export-formats.ts'
import { type OutputFile, writeFiles } from './export-files.ts'
import { forwardingOf } from '../log/forwarding.ts'
import { RepeatedReading, concludeReading } from '../log/log-reading.ts'
import { print } from '../terminal/output.ts'
import { writeParquet } from './parquet.ts'
import { Problem, attempt } from '../errors/problem.ts'
import { bytes, count } from '../terminal/quantities.ts'
import { type Moment, stateAt } from '../log/state-at.ts'
import { htmlOf, type Part } from '../view/html-export.ts'

/** Formats that hold a whole run, and the files of each; of a single one `--out` is the name. */
const ofRuns: Readonly<
  Record<
    string,
    ReadonlyArray<{ readonly name: string; readonly pieces: (records: Iterable<LogRecord>) => Iterable<string> }>
  >
> = {
  chrome: [{ name: '', pieces: chromeTrace }],
  paje: [{ name: '', pieces: paje }],
  swf: [{ name: '', pieces: swfOfLog }],
  batsim: [
    { name: 'jobs.csv', pieces: batsimJobs },
    { name: 'schedule.csv', pieces: batsimSchedule },
  ],
}

export interface ExportOptions extends Moment {
  readonly log: string
  readonly to: (typeof exportFormats)[number]
  readonly from: Option.Option<number>
  readonly until: Option.Option<number>
  readonly out: string
  readonly force: boolean
  readonly json: boolean
}

export const exportLog = Effect.fn(function* ({ log, at, seq, from, until, to, out, force, json }: ExportOptions) {
  if (to !== 'html' && (Option.isSome(from) || Option.isSome(until)))
    return yield* new Problem(`--from and --until are for --to html, found --to ${to}`)
  if (to === 'opensm') return yield* exportMoment(log, { at, seq }, out, force, json)
  if (Option.isSome(at) || Option.isSome(seq))
    return yield* new Problem(`--to ${to} holds the whole run: --at and --seq are for --to opensm`)
  const reading = new RepeatedReading(log)
  const files =
    to === 'parquet'
      ? yield* writeParquet(reading, out, force)
      : yield* attempt(() =>
          writeFiles(
            to === 'html'
              ? [{ name: '', pieces: htmlOf(log, () => reading.records(), partOf(from, until)) }]
              : ofRuns[to].map(({ name, pieces }) => ({ name, pieces: pieces(reading.records()) })),
            out,
            force,
          ),
        )
  yield* print(json, { files }, () => files.map(({ file, bytes: size }) => `${file}, ${bytes(size)}`).join('\n'))
  yield* concludeReading([{ path: log, outcome: reading.outcome }])
})

/** Undefined for all of the run. @throws Problem */
function partOf(from: Option.Option<number>, until: Option.Option<number>): Part | undefined {
  if (Option.isNone(from) && Option.isNone(until)) return undefined
  const part = { from: Option.getOrElse(from, () => 0), until: Option.getOrElse(until, () => Number.MAX_SAFE_INTEGER) }
  if (part.from < 0 || part.until < part.from)
    throw new Problem(
      `--from ${part.from} --until ${part.until}: expected times from 0, the second not before the first`,
    )
  return part
}

const exportMoment = Effect.fnUntraced(function* (
  log: string,
  moment: Moment,
  out: string,
  force: boolean,
  json: boolean,
) {
  const { state, outcome } = yield* stateAt(log, moment)
  const result = yield* attempt(() => {
    const { scheme, routes, running } = forwardingOf(state)
    const files: ReadonlyArray<OutputFile> = opensmFiles(
      state.topology,
      routes,
      running.map(({ submit, nodes }) => ({ job: submit.job, nodes })),
    )
    return {
      t: state.t,
      seq: state.seq,
      scheme,
      jobs: running.length,
      files: writeFiles(files, out, force).map(({ file }) => file),
    }
  })
  yield* print(
    json,
    result,
    () =>
      `${result.files.join('\n')}\n\nThe machine at ${result.t} s with ${count(result.jobs)} running jobs, scheme ${result.scheme}.`,
  )
  yield* concludeReading([{ path: log, outcome }])
})
