import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Effect, Layer } from 'effect'
import { FreshProcess } from '../bench/fresh-process.ts'
import { FreshProcessError } from '../errors/errors.ts'

/** A process of the program that this one runs. */
export const childProcess: Layer.Layer<FreshProcess> = Layer.succeed(FreshProcess, {
  run: (args) =>
    Effect.tryPromise({
      try: (signal) => promisify(execFile)(process.execPath, [process.argv[1], ...args], { signal }),
      catch: (error) => {
        const { stderr } = error as { readonly stderr?: string }
        return new FreshProcessError({ args, reason: stderr?.trim() || String(error) })
      },
    }).pipe(Effect.map(({ stdout }) => stdout)),
})
