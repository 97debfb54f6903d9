import { closeSync, existsSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type ExportFile, opensmFiles } from '@cloister/exports'
import { Effect } from 'effect'
import { Command, Flag } from 'effect/cli'
import { forwardingOf } from '../forwarding.ts'
import { concludeReading, logArgument } from '../log-reading.ts'
import { jsonFlag, print } from '../output.ts'
import { Problem, attempt } from '../problem.ts'
import { count } from '../quantities.ts'
import { momentFlags, stateAt } from '../state-at.ts'

export const exportCommand = Command.make(
  'export',
  {
    log: logArgument,
    to: Flag.Literals('to', ['opensm']).pipe(Flag.withDescription("opensm: forwarding tables, partition keys, addresses and an ibsim fabric for InfiniBand's subnet manager")),
    ...momentFlags,
    out: Flag.String('out').pipe(Flag.withMetavar('DIR'), Flag.withDescription('The folder to write the files into')),
    force: Flag.Boolean('force').pipe(Flag.withDescription('Overwrite files that exist'), Flag.withDefault(false), Flag.withoutNegation),
    json: jsonFlag,
  },
  Effect.fn(function* ({ log, at, seq, out, force, json }) {
    const { state, outcome } = yield* stateAt(log, { at, seq })
    const result = yield* attempt(() => {
      const { scheme, routes, running } = forwardingOf(state)
      const files = opensmFiles(state.topology, routes, running.map(({ submit, nodes }) => ({ job: submit.job, nodes })))
      return { t: state.t, seq: state.seq, scheme, jobs: running.length, files: write(files, out, force) }
    })
    yield* print(json, result, () => `${result.files.join('\n')}\n\nThe machine at ${result.t} s with ${count(result.jobs)} running jobs, scheme ${result.scheme}.`)
    yield* concludeReading([{ path: log, outcome }])
  }),
).pipe(
  Command.withDescription("Write the machine at one moment of a run in another tool's formats"),
  Command.withExamples([{ command: 'cloister export run.ndjson --to opensm --at 3600 --out fabric', description: "For OpenSM's -R file, with each job's routes on its own links" }]),
)

function write(files: ReadonlyArray<ExportFile>, folder: string, force: boolean): ReadonlyArray<string> {
  const paths = files.map(({ name }) => join(folder, name))
  const taken = paths.find((path) => existsSync(path))
  if (taken !== undefined && !force) throw new Problem(`--out: ${taken} exists; --force overwrites it`)
  mkdirSync(folder, { recursive: true })
  for (const [at, { pieces }] of files.entries()) {
    const file = openSync(paths[at], 'w')
    try {
      for (const piece of pieces) writeSync(file, piece)
    } finally {
      closeSync(file)
    }
  }
  return paths
}
