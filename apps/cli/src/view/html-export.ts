import { gzipSync } from 'node:zlib'
import { extractWindow, type LogRecord } from '@cloister/eventlog'
import { openLogFile, sha256 } from '@cloister/eventlog/node'
import { embeddedIds, embeddedNotesId, type Note } from '@cloister/viewer'
import { PageTooLargeError } from '../errors/errors.ts'

/** Bytes of a log that a page is made to hold: a browser keeps all of them in memory. */
const LIMIT = 2 ** 26

/** The part of a run to show, in seconds. */
export interface Part {
  readonly from: number
  readonly until: number
}

/** The viewer's page with a log inside, which needs no server and no other file. @throws PageTooLargeError */
export function* htmlOf(
  page: string,
  path: string,
  records: () => Iterable<LogRecord>,
  part: Part | undefined,
  notes: ReadonlyArray<Note>,
): Generator<string, void> {
  const chunks: Array<Uint8Array> = []
  let length = 0
  const take = (chunk: Uint8Array): void => {
    chunks.push(chunk)
    length += chunk.length
    if (length > LIMIT) throw new PageTooLargeError({ path, limit: LIMIT })
  }
  if (part === undefined) {
    // Embedded as it is; read first, so that what is corrupt is refused and what is torn is said.
    for (const _ of records());
    for (const chunk of openLogFile(path)) take(chunk)
  } else extractWindow(records, part.from, part.until, take, sha256)
  const [before, after] = page.split('<!--logs-->')
  yield before
  yield `<script type="application/octet-stream" id="${embeddedIds.a}">${gzipSync(Buffer.concat(chunks), { level: 9 }).toString('base64')}</script>`
  // No text of a note ends the element.
  if (notes.length > 0)
    yield `<script type="application/json" id="${embeddedNotesId}">${JSON.stringify(notes).replaceAll('<', '\\u003c')}</script>`
  yield after
}
