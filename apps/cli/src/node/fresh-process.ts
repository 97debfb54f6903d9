import { Effect, Layer } from 'effect'
import { FreshProcess } from '../bench/fresh-process.ts'
import { FreshProcessError } from '../errors/errors.ts'

/** A process of the program that this one runs. */
export const childProcess: Layer.Layer<FreshProcess> = Layer.succeed(FreshProcess, {
  run: (args, program) =>
    Effect.callback<string, FreshProcessError>((resume) => {
      // Loaded here: no other command needs them.
      const { execFile } = process.getBuiltinModule('node:child_process')
      const command = [program ?? process.argv[1], ...args]
      const child = execFile(process.execPath, command, { maxBuffer: Infinity }, (error, stdout, stderr) => {
        if (error === null) return resume(Effect.succeed(stdout))
        resume(Effect.fail(new FreshProcessError({ args, program, reason: stderr.trim() || error.message })))
      })
      // A process that is told to end may still write into a folder that is removed next.
      return Effect.promise(
        () =>
          new Promise<void>((ended) => {
            if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return ended()
            child.once('exit', () => ended())
            child.kill()
          }),
      )
    }),
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
