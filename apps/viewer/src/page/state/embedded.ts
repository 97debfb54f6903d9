import { FoldError, LogIndexBuilder, type LogRecord, LogReader, LogSeeker } from '@cloister/eventlog'
import { sha256 } from '@noble/hashes/sha2.js'
import { embeddedIds } from '../../run/embedded-ids.ts'
import type { Answerer, QuestionName, Questions } from '../../run/questions.ts'
import { statusOf, ViewedRun } from '../../run/viewed-run.ts'

/** Number of bytes of an embedded log that are read at a time. Between two pieces the page can draw. */
const CHUNK = 2 ** 19

/** Returns the base64 text of the log that is embedded for a side; undefined if the page has no log for the side. */
export function embeddedText(side: 'a' | 'b'): string | undefined {
  const text = document.getElementById(embeddedIds[side])?.textContent?.trim()
  return text === undefined || text === '' ? undefined : text
}

/** Returns an answerer for an embedded log. @param base64 gzip of the log, in base64 */
export async function embeddedAnswerer(base64: string): Promise<Answerer> {
  const bytes = await inflate(base64)
  const run = new Promise<ViewedRun>((resolve, reject) => {
    void read(bytes, resolve).catch(reject)
  })
  return {
    async ask<Name extends QuestionName>(
      name: Name,
      question: Questions[Name]['ask'],
    ): Promise<Questions[Name]['answer']> {
      const { json, arrays } = (await run).answer(name, question)
      // The arrays of an answer are views of growing columns, so the arrays are copied.
      const copies = Object.fromEntries(Object.entries(arrays).map(([key, array]) => [key, array.slice()]))
      return (json === null ? null : { ...(json as object), ...copies }) as Questions[Name]['answer']
    },
  }
}

async function inflate(base64: string): Promise<Uint8Array> {
  const compressed = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  const stream = new Blob([compressed]).stream().pipeThrough(new DecompressionStream('gzip'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/** Reads an embedded log in pieces, and calls `begun` after each piece, so that the page shows the beginning early. */
async function read(bytes: Uint8Array, begun: (run: ViewedRun) => void): Promise<void> {
  const reader = new LogReader(() => sha256.create())
  const builder = new LogIndexBuilder()
  let run: ViewedRun | undefined
  let seeker: LogSeeker | undefined
  let records = 0
  const seek = (): LogSeeker =>
    (seeker ??= new LogSeeker(
      builder.index({ status: 'unsealed', records, sealed: records, bytes: bytes.length }),
      (from, to) => bytes.subarray(from, to),
      () => sha256.create(),
    ))
  const add = (some: ReadonlyArray<LogRecord>): void => {
    for (const [at, record] of some.entries()) {
      builder.add(record, reader.ends[at])
      records++
      seeker = undefined
      if (record.type === 'header') run = new ViewedRun(record, seek)
      run!.add(record)
    }
  }
  try {
    for (let at = 0; at < bytes.length; at += CHUNK) {
      add(reader.push(bytes.subarray(at, at + CHUNK)))
      if (run !== undefined) {
        run.status = { status: 'reading', message: null, broken: null, progress: at / bytes.length }
        begun(run)
      }
      await new Promise((resolve) => setTimeout(resolve))
    }
    const { records: rest, outcome } = reader.end()
    add(rest)
    if (run === undefined)
      throw new Error(outcome.status === 'corrupt' ? outcome.reason : 'the log in this page is empty')
    run.status = { ...statusOf(outcome), broken: null, progress: 1 }
  } catch (error) {
    if (!(error instanceof FoldError) || run === undefined) throw error
    run.status = { status: 'broken', message: error.message, broken: null, progress: 1 }
  }
  begun(run)
}
