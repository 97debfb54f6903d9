import { Context, Effect, Layer } from 'effect'
import { FreshProcessError } from '../errors/errors.ts'

/** Service that runs command lines of Cloister in separate processes, without warm caches or compiled code. */
export class FreshProcess extends Context.Service<
  FreshProcess,
  {
    /**
     * Runs a command line, and returns the process's standard output.
     * @param program path of the cloister.js of another Cloister, by default this program
     */
    readonly run: (args: ReadonlyArray<string>, program?: string) => Effect.Effect<string, FreshProcessError>
    /**
     * Runs a command line with the standard streams of this process, and again whenever a file that the process loaded
     * changes. Returns the exit code after a signal.
     */
    readonly watch: (args: ReadonlyArray<string>) => Effect.Effect<number, FreshProcessError>
  }
>()('cloister/FreshProcess') {}

/** Service that runs command lines in separate processes of this program. */
export const childProcess: Layer.Layer<FreshProcess> = Layer.succeed(FreshProcess, {
  run: (args, program) =>
    Effect.callback<string, FreshProcessError>((resume) => {
      // Loads node:child_process here, because few commands need separate processes.
      const { execFile } = process.getBuiltinModule('node:child_process')
      const command = [program ?? process.argv[1], ...args]
      const child = execFile(process.execPath, command, { maxBuffer: Infinity }, (error, stdout, stderr) => {
        if (error === null) return resume(Effect.succeed(stdout))
        const reason = stderr.trim() || error.message
        const ended = typeof error.code === 'number' ? { code: error.code, stdout } : {}
        resume(Effect.fail(new FreshProcessError({ args, program, reason, ...ended })))
      })
      // An interrupt waits for the end of the process, because the process may still write into a folder that the
      // caller removes.
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
      // With --watch, Node runs the command again whenever a loaded file changes.
      const child = spawn(process.execPath, ['--watch', process.argv[1], ...args], { stdio: 'inherit' })
      const end = (signal: NodeJS.Signals): void => void child.kill(signal)
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end)
      child.on('error', ({ message }) => resume(Effect.fail(new FreshProcessError({ args, reason: message }))))
      child.on('exit', (code) => resume(Effect.succeed(code ?? 0)))
    }),
})
