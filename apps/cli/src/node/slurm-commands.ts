import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Effect, Layer } from 'effect'
import { SlurmCommandError, SlurmCommands } from '@cloister/slurm'

/** Time limit of a query in ms. After the limit, the caller may ask the controller again. */
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

/** Commands of the installed Slurm. */
export const installedSlurm: Layer.Layer<SlurmCommands> = Layer.succeed(SlurmCommands, {
  ask: (command, args) => run(command, args, TIMEOUT_MS),
  // The program `timeout` survives the end of this process. A time limit inside of this process would not.
  change: (args, seconds) =>
    Effect.asVoid(run('timeout', ['-s', 'KILL', String(seconds), 'scontrol', ...args], (seconds + 1) * 1000)),
})

type Failure = NodeJS.ErrnoException & { readonly stderr?: string; readonly killed?: boolean }

function failureOf(command: string, error: Failure, timeout: number): SlurmCommandError {
  if (error.code === 'ENOENT')
    return new SlurmCommandError({
      command,
      reason: 'there is no such program here; Slurm has it, for the PATH',
      mayPass: false,
    })
  const reason = error.killed === true ? `no answer within ${timeout / 1000} s` : error.stderr?.trim() || error.message
  return new SlurmCommandError({ command, reason, mayPass: true })
}
