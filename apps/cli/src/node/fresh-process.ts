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
        const { stderr } = error as { readonly stderr?: string }
        return new FreshProcessError({ args, program, reason: stderr?.trim() || String(error) })
      },
    }).pipe(Effect.map(({ stdout }) => stdout)),
})
