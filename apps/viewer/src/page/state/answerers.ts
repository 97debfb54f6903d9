import { FoldError, LogIndexBuilder, LogReader, type LogRecord, LogSeeker } from '@cloister/eventlog'
import { sha256 } from '@noble/hashes/sha2.js'
import { type Packed, received, unpack } from '../../run/messages.ts'
import { embeddedIds } from '../../run/notes.ts'
import {
  type Answerer,
  isPolicyQuestion,
  type Moment,
  type QuestionName,
  type Questions,
  type Side,
} from '../../run/questions.ts'
import { statusOf, ViewedRun } from '../../run/viewed-run.ts'

/** Limits the number of tasks that run at a time. Further tasks wait, and run in the order of their calls. */
export class Turns {
  readonly #most: number
  #taken = 0
  readonly #waiting: Array<() => void> = []

  constructor(most: number) {
    this.#most = most
  }

  /** Runs a task when its turn comes. @throws the reason of `signal`, if `signal` is aborted before the task begins */
  async run<Result>(task: () => Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
    if (this.#taken < this.#most) this.#taken++
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      signal?.throwIfAborted()
      return await task()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#taken--
      else next()
    }
  }
}

/** Error of a question without an answer. The message is the server's response, if the server responded. */
class AnswerError extends Error {
  override readonly name = 'AnswerError'
}

/**
 * Limits on simultaneous questions to the policies of all runs, because policies answer slowly: 3 about the moment at
 * the cursor, 1 about tracks. Two of a browser's six connections remain for quick answers.
 */
const turns = { ofMoment: new Turns(3), ofTracks: new Turns(1) }

/** Returns an answerer that asks the server about a log. @param generation generation of the log; latest if absent */
export function remoteAnswerer(side: Side, generation?: number): Answerer {
  /** Last received state of a moment; the server sends only the differences to this state. */
  let moment: Packed | undefined
  return {
    async ask<Name extends QuestionName>(
      name: Name,
      question: Questions[Name]['ask'],
      signal?: AbortSignal,
    ): Promise<Questions[Name]['answer']> {
      const base = moment
      const asked = name === 'moment' ? { ...question, since: nameOf(base) } : question
      const about = generation === undefined || name === 'overview' ? '' : `&of=${generation}`
      const address = `./run/${side}/${name}?q=${encodeURIComponent(JSON.stringify(asked))}${about}`
      const request = (): Promise<Packed> => answerAt(address, signal)
      const answer = await (isPolicyQuestion(name) ? turnsOf(asked).run(request, signal) : request())
      const { json, arrays } = name === 'moment' ? (moment = received(base, answer)) : answer
      return (
        json === null ? null : Array.isArray(json) ? json : { ...(json as object), ...arrays }
      ) as Questions[Name]['answer']
    },
    of: (latest) => remoteAnswerer(side, latest),
  }
}

async function answerAt(address: string, signal: AbortSignal | undefined): Promise<Packed> {
  const response = await fetch(address, signal === undefined ? {} : { signal }).catch(() => {
    throw new AnswerError('the server does not answer: start cloister view again')
  })
  // Status 202 means that the server has no answer yet.
  if (!response.ok || response.status === 202) throw new AnswerError(await response.text())
  return unpack(await response.arrayBuffer())
}

/** A question to the policy about the moment at the cursor has the field `seq`; questions of tracks have a time. */
function turnsOf(asked: object): Turns {
  return 'seq' in asked ? turns.ofMoment : turns.ofTracks
}

function nameOf(moment: Packed | undefined): string {
  return (moment?.json as Moment | undefined)?.state ?? ''
}

/** Returns the letters of the runs whose logs the server has. */
export async function remoteSides(): Promise<ReadonlyArray<Side>> {
  const response = await fetch('./sides')
  return (await response.json()) as ReadonlyArray<Side>
}

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
