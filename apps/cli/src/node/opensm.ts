import { execFile } from 'node:child_process'
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { promisify } from 'node:util'
import { SubnetManager, SubnetManagerError } from '@cloister/controller'
import { Effect, Layer } from 'effect'

/** Time limit of `dump_fts`, in ms. The switches of a large fabric answer one after another. */
const TIMEOUT_MS = 120_000
const MAX_BYTES = 2 ** 30

/** OpenSM on this host, and the switches visible to infiniband-diags on this host. */
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
  tables: Effect.tryPromise({
    try: (signal) => promisify(execFile)('dump_fts', [], { signal, timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES }),
    catch: (error) => failureOf(error as Failure),
  }).pipe(Effect.map(({ stdout }) => stdout)),
})

/** Replaces a file in one step. From a truncated file, OpenSM would read the first routes and drop the rest. */
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

/**
 * Returns the process id in a file, if the process is OpenSM. OpenSM reads its files again on SIGHUP, but the signal
 * ends most programs.
 *
 * @throws SubnetManagerError
 */
function opensmIn(pidFile: string): number {
  const text = readFileSync(pidFile, 'utf8').trim()
  const fail = (reason: string): SubnetManagerError => new SubnetManagerError({ subject: pidFile, reason })
  if (!/^[1-9]\d{0,9}$/.test(text))
    throw fail(`found ${JSON.stringify(text.slice(0, 30))}, expected the process id of OpenSM`)
  const name = nameOf(text)
  if (name !== 'opensm')
    throw fail(`process ${text} is ${name === undefined ? 'not there' : `${JSON.stringify(name)}, not OpenSM`}`)
  return Number(text)
}

function nameOf(pid: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
  } catch {
    return undefined
  }
}

type Failure = NodeJS.ErrnoException & { readonly stderr?: string; readonly killed?: boolean }

function failureOf(error: Failure): SubnetManagerError {
  const subject = 'dump_fts'
  if (error.code === 'ENOENT')
    return new SubnetManagerError({
      subject,
      reason: 'there is no such program here; infiniband-diags has it, for the PATH',
    })
  const reason =
    error.killed === true ? `no answer within ${TIMEOUT_MS / 1000} s` : error.stderr?.trim() || error.message
  return new SubnetManagerError({ subject, reason: reason.replaceAll(/\s+/g, ' ').slice(0, 300) })
}
