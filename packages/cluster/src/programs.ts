import { execFile } from 'node:child_process'
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { promisify } from 'node:util'
import { Context, Data, Effect, Layer } from 'effect'

/** Time limit of a query of Slurm in ms. After the limit, the caller may repeat the query. */
const SLURM_TIMEOUT_MS = 60_000
/** Time limit of the command `dump_fts`, in ms. The switches of a large fabric answer one after another. */
const SWITCHES_TIMEOUT_MS = 120_000
/** Largest number of bytes in the output of a program. */
const MAX_BYTES = 2 ** 30

/** Error for a command of Slurm, or a server of Slurm's REST API, that failed or could not be reached. */
export class SlurmCommandError extends Data.TaggedError('SlurmCommandError')<{
  readonly command: string
  /** Message of the command or of the server. */
  readonly reason: string
  /** True if a second attempt may succeed, as after a timeout; false if it cannot, as for a missing program. */
  readonly mayPass: boolean
}> {}

/** Service with the commands that query Slurm or change jobs. No shell reads the arguments. */
export class SlurmCommands extends Context.Service<
  SlurmCommands,
  {
    /** Runs a command of Slurm and returns its output, with times in Unix seconds. */
    readonly ask: (
      command: 'squeue' | 'sinfo' | 'sacct' | 'scontrol',
      args: ReadonlyArray<string>,
    ) => Effect.Effect<string, SlurmCommandError>
    /** Changes a job by `scontrol`. Its process ends within the given seconds, even if Cloister ends before. */
    readonly change: (args: ReadonlyArray<string>, seconds: number) => Effect.Effect<void, SlurmCommandError>
  }
>()('@cloister/cluster/SlurmCommands') {}

/** Service that runs the commands of the installed Slurm. */
export const installedSlurm: Layer.Layer<SlurmCommands> = Layer.succeed(SlurmCommands, {
  ask: (command, args) => runSlurm(command, args, SLURM_TIMEOUT_MS),
  // Uses the program `timeout`, because `timeout` survives the end of this process; a timer in this process would not.
  change: (args, seconds) =>
    Effect.asVoid(runSlurm('timeout', ['-s', 'KILL', String(seconds), 'scontrol', ...args], (seconds + 1) * 1000)),
})

function runSlurm(command: string, args: ReadonlyArray<string>, timeout: number) {
  return run(command, args, { timeout, env: { ...process.env, SLURM_TIME_FORMAT: '%s' } }).pipe(
    Effect.mapError(({ reason }) => {
      if (reason !== undefined) return new SlurmCommandError({ command, reason, mayPass: true })
      const missing = 'the program is not on the PATH; Slurm has the program'
      return new SlurmCommandError({ command, reason: missing, mayPass: false })
    }),
  )
}

/** OpenSM did not get new tables, or the switches did not report their tables. */
export class SubnetManagerError extends Data.TaggedError('SubnetManagerError')<{
  /** Program or file that failed, such as `dump_fts`. */
  readonly subject: string
  readonly reason: string
}> {
  override get message(): string {
    return `${this.subject}: ${this.reason}`
  }
}

/** Access to OpenSM and the switches. OpenSM reads the tables from a file; the switches report their tables. */
export class SubnetManager extends Context.Service<
  SubnetManager,
  {
    /** Replaces a whole file by one rename, then makes OpenSM read the file. */
    readonly install: (
      file: string,
      pidFile: string,
      pieces: Iterable<string>,
    ) => Effect.Effect<void, SubnetManagerError>
    /** Current tables of the switches, in the format of `dump_fts`. */
    readonly tables: Effect.Effect<string, SubnetManagerError>
  }
>()('@cloister/cluster/SubnetManager') {}

/** Service for OpenSM on this host, and for the switches that infiniband-diags on this host can query. */
export const localOpensm: Layer.Layer<SubnetManager> = Layer.succeed(SubnetManager, {
  install: (file, pidFile, pieces) =>
    Effect.try({
      try: () => {
        replaceWhole(file, pieces)
        process.kill(opensmIn(pidFile), 'SIGHUP')
      },
      catch: (error) =>
        error instanceof SubnetManagerError
          ? error
          : new SubnetManagerError({ subject: file, reason: (error as Error).message }),
    }),
  tables: run('dump_fts', [], { timeout: SWITCHES_TIMEOUT_MS }).pipe(
    Effect.mapError(({ reason = 'the program is not on the PATH; the package infiniband-diags has the program' }) => {
      return new SubnetManagerError({ subject: 'dump_fts', reason: reason.replaceAll(/\s+/g, ' ').slice(0, 300) })
    }),
  ),
})

/** Replaces the file in one step: from a partial file, OpenSM would take the first routes and drop all others. */
function replaceWhole(file: string, pieces: Iterable<string>): void {
  const temporary = `${file}.new`
  const handle = openSync(temporary, 'w')
  try {
    for (const piece of pieces) writeSync(handle, piece)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(temporary, file)
}

/** Checks the process, because SIGHUP makes OpenSM read its files again, but ends most other programs. */
function opensmIn(pidFile: string): number {
  const text = readFileSync(pidFile, 'utf8').trim()
  const fail = (reason: string): SubnetManagerError => new SubnetManagerError({ subject: pidFile, reason })
  if (!/^[1-9]\d{0,9}$/.test(text))
    throw fail(`found ${JSON.stringify(text.slice(0, 30))}, expected the process id of OpenSM`)
  const name = nameOf(text)
  if (name !== 'opensm')
    throw fail(`process ${text} ${name === undefined ? 'does not run' : `is ${JSON.stringify(name)}, not OpenSM`}`)
  return Number(text)
}

function nameOf(pid: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
  } catch {
    return undefined
  }
}

interface Failure {
  /** Reason of the failure, or undefined if the program is not on the PATH. */
  readonly reason: string | undefined
}

/** Runs a program and returns its standard output. */
function run(
  program: string,
  args: ReadonlyArray<string>,
  options: { readonly timeout: number; readonly env?: NodeJS.ProcessEnv },
): Effect.Effect<string, Failure> {
  return Effect.tryPromise({
    try: (signal) => promisify(execFile)(program, [...args], { ...options, signal, maxBuffer: MAX_BYTES }),
    catch: (thrown): Failure => {
      const error = thrown as NodeJS.ErrnoException & { readonly stderr?: string; readonly killed?: boolean }
      if (error.code === 'ENOENT') return { reason: undefined }
      if (error.killed === true) return { reason: `no answer within ${options.timeout / 1000} s` }
      return { reason: error.stderr?.trim() || error.message }
    },
  }).pipe(Effect.map(({ stdout }) => stdout))
}
