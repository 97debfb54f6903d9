import { Effect, Layer } from 'effect'
import { FreshProcess } from '../bench/fresh-process.ts'
import { FreshProcessError } from '../errors/errors.ts'

/** A process of the program that this one runs. */
export const childProcess: Layer.Layer<FreshProcess> = Layer.succeed(FreshProcess, {
  run: (args, program) =>
    Effect.tryPromise({
      // Loaded here: no other command needs them.
      try: (signal) => {
        const { execFile } = process.getBuiltinModule('node:child_process')
        const { promisify } = process.getBuiltinModule('node:util')
        return promisify(execFile)(process.execPath, [program ?? process.argv[1], ...args], {
          signal,
          maxBuffer: Infinity,
        })
      },
      catch: (error) => {
        const { stderr, stdout, code } = error as Partial<Record<'stderr' | 'stdout', string>> & {
          readonly code?: unknown
        }
        const reason = stderr?.trim() || String(error)
        return new FreshProcessError({ args, program, reason, ...(typeof code === 'number' && { code, stdout }) })
      },
    }).pipe(Effect.map(({ stdout }) => stdout)),
  watch: (args) =>
    Effect.callback<number, FreshProcessError>((resume) => {
      const { spawn } = process.getBuiltinModule('node:child_process')
      // Node knows which files it has loaded.
      const child = spawn(process.execPath, ['--watch', process.argv[1], ...args], { stdio: 'inherit' })
      const end = (signal: NodeJS.Signals): void => void child.kill(signal)
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end)
      child.on('error', ({ message }) => resume(Effect.fail(new FreshProcessError({ args, reason: message }))))
      child.on('exit', (code) => resume(Effect.succeed(code ?? 0)))
    }),
})
