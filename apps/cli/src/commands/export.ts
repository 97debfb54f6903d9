import type { LogRecord } from '@cloister/eventlog'
import { batsimJobs, batsimSchedule, chromeTrace, opensmFiles, paje, swfOfLog } from '@cloister/exports'
import { Effect, Option } from 'effect'
import { Command, Flag } from 'effect/cli'
import { type OutputFile, writeFiles } from '../export-files.ts'
import { forwardingOf } from '../forwarding.ts'
import { RepeatedReading, concludeReading, logArgument } from '../log-reading.ts'
import { jsonFlag, print } from '../output.ts'
import { writeParquet } from '../parquet.ts'
import { Problem, attempt } from '../problem.ts'
import { bytes, count } from '../quantities.ts'
import { type Moment, momentFlags, stateAt } from '../state-at.ts'

/** Formats that hold a whole run, and the files of each; of a single one `--out` is the name. */
const ofRuns: Readonly<Record<string, ReadonlyArray<{ readonly name: string; readonly pieces: (records: Iterable<LogRecord>) => Iterable<string> }>>> = {
  chrome: [{ name: '', pieces: chromeTrace }],
  paje: [{ name: '', pieces: paje }],
  swf: [{ name: '', pieces: swfOfLog }],
  batsim: [{ name: 'jobs.csv', pieces: batsimJobs }, { name: 'schedule.csv', pieces: batsimSchedule }],
}

export const exportCommand = Command.make(
  'export',
  {
    log: logArgument,
    to: Flag.Literals('to', ['chrome', 'batsim', 'swf', 'paje', 'parquet', 'opensm']).pipe(Flag.withDescription(
      "chrome: for Perfetto and chrome://tracing; batsim: its jobs.csv and schedule.csv, which evalys reads; swf: the jobs with their waits; paje: for ViTE and pajeng; parquet: the jobs as a table; opensm: the machine at one moment for InfiniBand's subnet manager",
    )),
    ...momentFlags,
    out: Flag.String('out').pipe(Flag.withMetavar('PATH'), Flag.withDescription('The file to write; of batsim and opensm, which are several, the folder')),
    force: Flag.Boolean('force').pipe(Flag.withDescription('Overwrite files that exist'), Flag.withDefault(false), Flag.withoutNegation),
    json: jsonFlag,
  },
  Effect.fn(function* ({ log, at, seq, to, out, force, json }) {
    if (to === 'opensm') return yield* exportMoment(log, { at, seq }, out, force, json)
    if (Option.isSome(at) || Option.isSome(seq)) return yield* new Problem(`--to ${to} holds the whole run: --at and --seq are for --to opensm`)
    const reading = new RepeatedReading(log)
    const files = to === 'parquet'
      ? yield* writeParquet(reading, out, force)
      : yield* attempt(() => writeFiles(ofRuns[to].map(({ name, pieces }) => ({ name, pieces: pieces(reading.records()) })), out, force))
    yield* print(json, { files }, () => files.map(({ file, bytes: size }) => `${file}, ${bytes(size)}`).join('\n'))
    yield* concludeReading([{ path: log, outcome: reading.outcome }])
  }),
).pipe(
  Command.withDescription("Write a run, or the machine at one moment of it, in other tools' formats"),
  Command.withExamples([
    { command: 'cloister export run.ndjson --to chrome --out run.json', description: 'To be opened in ui.perfetto.dev' },
    { command: 'cloister export run.ndjson --to batsim --out batsim', description: 'For evalys' },
    { command: 'cloister export run.ndjson --to opensm --at 3600 --out fabric', description: "For OpenSM's -R file, with each job's routes on its own links" },
  ]),
)

const exportMoment = Effect.fnUntraced(function* (log: string, moment: Moment, out: string, force: boolean, json: boolean) {
  const { state, outcome } = yield* stateAt(log, moment)
  const result = yield* attempt(() => {
    const { scheme, routes, running } = forwardingOf(state)
    const files: ReadonlyArray<OutputFile> = opensmFiles(state.topology, routes, running.map(({ submit, nodes }) => ({ job: submit.job, nodes })))
    return { t: state.t, seq: state.seq, scheme, jobs: running.length, files: writeFiles(files, out, force).map(({ file }) => file) }
  })
  yield* print(json, result, () => `${result.files.join('\n')}\n\nThe machine at ${result.t} s with ${count(result.jobs)} running jobs, scheme ${result.scheme}.`)
  yield* concludeReading([{ path: log, outcome }])
})
