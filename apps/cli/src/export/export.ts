import { opensmFiles } from '@cloister/exports'
import { Effect, Option } from 'effect'
import type { exportFormats } from './export-formats.ts'
import { type OutputFile, writeFiles } from './export-files.ts'
import { anonymiserOf, withoutNames } from '../run/anonymise.ts'
import { forwardingOf } from '../log/forwarding.ts'
import { RepeatedReading, concludeReading, remarkOnPart } from '../log/log-reading.ts'
import { print, remark } from '../terminal/output.ts'
import { writeParquet } from './parquet.ts'
import { bytes, count } from '../terminal/quantities.ts'
import { type Moment, stateAt } from '../log/state-at.ts'
import { htmlOf, type Part } from '../view/html-export.ts'
import { readNotes } from '../view/notes-file.ts'
import { ViewerPage } from '../view/viewer-page.ts'
import { OptionConflictError } from '../errors/errors.ts'
import { runFormats } from './run-formats.ts'
import { OF_A_MOMENT, OutputLimit } from './output-limit.ts'
import { Files } from '../files/files.ts'
import { attempt } from '../errors/attempt.ts'

export interface ExportOptions extends Moment {
  readonly log: string
  readonly to: (typeof exportFormats)[number]
  readonly from: Option.Option<number>
  readonly until: Option.Option<number>
  readonly out: string
  readonly force: boolean
  readonly maxBytes: Option.Option<number>
  readonly anonymise: Option.Option<string>
  readonly json: boolean
}

export const exportLog = Effect.fn(function* (options: ExportOptions) {
  const { log, at, seq, from, until, to, anonymise, json } = options
  if (to !== 'html' && (Option.isSome(from) || Option.isSome(until)))
    return yield* new OptionConflictError({
      options: ['--from', '--until'],
      reason: `are only for --to html, found --to ${to}`,
    })
  if ((to === 'html' || to === 'opensm') && Option.isSome(anonymise))
    return yield* new OptionConflictError({
      options: ['--anonymise'],
      reason:
        to === 'html'
          ? 'cannot be used with --to html, because the page holds the log unchanged; give --anonymise to the command that writes the log'
          : 'cannot be used with --to opensm, because these files have no names of people',
    })
  if (to === 'opensm') return yield* exportMoment(options)
  if (Option.isSome(at) || Option.isSome(seq))
    return yield* new OptionConflictError({
      options: ['--at', '--seq'],
      reason: `are only for --to opensm: --to ${to} writes the whole run`,
    })
  const anonymiser = yield* anonymiserOf(anonymise, '')
  let ofPart: string | undefined
  const reading = new RepeatedReading(log, (record) => {
    if (record.type === 'header') ofPart = remarkOnPart(log, record)
    return anonymiser === undefined ? record : withoutNames(record, anonymiser)
  })
  const files = yield* exportRun(options, reading)
  yield* print(json, { files }, () => files.map(({ file, bytes: size }) => `${file}, ${bytes(size)}`).join('\n'))
  if (ofPart !== undefined) yield* remark(ofPart)
  yield* concludeReading([{ path: log, outcome: reading.outcome }])
})

const exportRun = Effect.fnUntraced(function* (
  { log, to, from, until, out, force, maxBytes }: ExportOptions,
  reading: RepeatedReading,
) {
  const disk = yield* Files
  const rule = { force, inputs: [log] }
  const limit = new OutputLimit(out, Option.getOrUndefined(maxBytes))
  if (to === 'parquet') return yield* writeParquet(reading, out, rule, limit)
  if (to !== 'html') {
    const files = runFormats[to].map(({ name, pieces }) => ({
      name,
      pieces: limit.within(pieces(limit.counted(reading.records()))),
    }))
    return yield* attempt(() => writeFiles(disk, files, out, rule))
  }
  const page = yield* (yield* ViewerPage).read
  return yield* attempt(() => {
    const pieces = limit.within(htmlOf(page, log, () => reading.records(), partOf(from, until), readNotes(disk, log)))
    return writeFiles(disk, [{ name: '', pieces }], out, rule)
  })
})

function partOf(from: Option.Option<number>, until: Option.Option<number>): Part | undefined {
  if (Option.isNone(from) && Option.isNone(until)) return undefined
  const part = { from: Option.getOrElse(from, () => 0), until: Option.getOrElse(until, () => Number.MAX_SAFE_INTEGER) }
  if (part.from < 0 || part.until < part.from)
    throw new OptionConflictError({
      options: [`--from ${part.from}`, `--until ${part.until}`],
      reason: 'expected --from at least 0, and --until not before --from',
    })
  return part
}

const exportMoment = Effect.fnUntraced(function* ({ log, at, seq, out, force, maxBytes, json }: ExportOptions) {
  const { state, outcome } = yield* stateAt(log, { at, seq })
  const disk = yield* Files
  const result = yield* attempt(() => {
    const { scheme, routes, running } = forwardingOf(state)
    const limit = new OutputLimit(out, Option.getOrUndefined(maxBytes), OF_A_MOMENT, state.seq)
    const jobs = running.map(({ submit, nodes }) => ({ job: submit.job, nodes }))
    const files: ReadonlyArray<OutputFile> = opensmFiles(state.topology, routes, jobs).map(({ name, pieces }) => ({
      name,
      pieces: limit.within(pieces),
    }))
    return {
      t: state.t,
      seq: state.seq,
      scheme,
      jobs: running.length,
      files: writeFiles(disk, files, out, { force, inputs: [log] }).map(({ file }) => file),
    }
  })
  yield* print(
    json,
    result,
    () =>
      `${result.files.join('\n')}\n\nThe files have the machine at ${result.t} s with ${count(result.jobs)} running jobs, and routes by ${result.scheme}.`,
  )
  yield* concludeReading([{ path: log, outcome }])
})
