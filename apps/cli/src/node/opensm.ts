import { execFile } from 'node:child_process'
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { promisify } from 'node:util'
import { SubnetManager, SubnetManagerError } from '@cloister/controller'
import { Effect, Layer } from 'effect'

/** Time limit of the command `dump_fts`, in ms. The switches of a large fabric answer one after another. */
const TIMEOUT_MS = 120_000
const MAX_BYTES = 2 ** 30

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
  tables: Effect.tryPromise({
    try: (signal) => promisify(execFile)('dump_fts', [], { signal, timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES }),
    catch: (error) => failureOf(error as Failure),
  }).pipe(Effect.map(({ stdout }) => stdout)),
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

type Failure = NodeJS.ErrnoException & { readonly stderr?: string; readonly killed?: boolean }

function failureOf(error: Failure): SubnetManagerError {
  const subject = 'dump_fts'
  if (error.code === 'ENOENT')
    return new SubnetManagerError({
      subject,
      reason: 'the program is not on the PATH; the package infiniband-diags has the program',
    })
  const reason =
    error.killed === true ? `no answer within ${TIMEOUT_MS / 1000} s` : error.stderr?.trim() || error.message
  return new SubnetManagerError({ subject, reason: reason.replaceAll(/\s+/g, ' ').slice(0, 300) })
}
