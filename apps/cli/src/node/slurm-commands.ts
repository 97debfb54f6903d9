import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Effect, Layer } from 'effect'
import { SlurmCommandError, SlurmCommands } from '@cloister/slurm'

/** Time limit of a query of Slurm in ms. After the limit, the caller may repeat the query. */
const TIMEOUT_MS = 60_000
const MAX_BYTES = 2 ** 30

function run(command: string, args: ReadonlyArray<string>, timeout: number): Effect.Effect<string, SlurmCommandError> {
  return Effect.tryPromise({
    try: (signal) =>
      promisify(execFile)(command, [...args], {
        signal,
        timeout,
        maxBuffer: MAX_BYTES,
        env: { ...process.env, SLURM_TIME_FORMAT: '%s' },
      }),
    catch: (error) => failureOf(command, error as Failure, timeout),
  }).pipe(Effect.map(({ stdout }) => stdout))
}

/** Service that runs the commands of the installed Slurm. */
export const installedSlurm: Layer.Layer<SlurmCommands> = Layer.succeed(SlurmCommands, {
  ask: (command, args) => run(command, args, TIMEOUT_MS),
  // Uses the program `timeout`, because `timeout` survives the end of this process; a timer in this process would not.
  change: (args, seconds) =>
    Effect.asVoid(run('timeout', ['-s', 'KILL', String(seconds), 'scontrol', ...args], (seconds + 1) * 1000)),
})

type Failure = NodeJS.ErrnoException & { readonly stderr?: string; readonly killed?: boolean }

function failureOf(command: string, error: Failure, timeout: number): SlurmCommandError {
  if (error.code === 'ENOENT')
    return new SlurmCommandError({
      command,
      reason: 'the program is not on the PATH; Slurm has the program',
      mayPass: false,
    })
  const reason = error.killed === true ? `no answer within ${timeout / 1000} s` : error.stderr?.trim() || error.message
  return new SlurmCommandError({ command, reason, mayPass: true })
}
