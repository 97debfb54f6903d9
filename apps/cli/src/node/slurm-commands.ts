import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Effect, Layer } from 'effect'
import { SlurmCommandError, SlurmCommands } from '../observe/slurm-commands.ts'

/** The controller answers within a minute, or it is asked again. */
const TIMEOUT_MS = 60_000
const MAX_BYTES = 2 ** 30

/** A change that is not made within this time is asked for again, where it is still called for. */
const CHANGE_TIMEOUT_MS = 20_000

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

/** Slurm's commands as they are installed here. */
export const installedSlurm: Layer.Layer<SlurmCommands> = Layer.succeed(SlurmCommands, {
  ask: (command, args) => run(command, args, TIMEOUT_MS),
  change: (args) => Effect.asVoid(run('scontrol', args, CHANGE_TIMEOUT_MS)),
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
