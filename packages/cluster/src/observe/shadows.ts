import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { decodeRecord, type Header, headerTopology, type LogRecord } from '@cloister/eventlog'
import type { Placer } from '@cloister/placement'
import { ShadowPolicy, type ShadowStart } from '@cloister/replay'
import { attempt, bind, blamePolicy, OptionError, Policies, PolicyFailedError } from '@cloister/run'
import { formatIdset } from '@cloister/topology'
import { Effect } from 'effect'
import { Reporter, type Reporting } from '../polling.ts'

/** Returns the path of the file with the answers of shadow policies: `live.shadow.ndjson` for `live.ndjson`. */
export function shadowPath(log: string): string {
  return `${log.replace(/\.ndjson$/, '')}.shadow.ndjson`
}

interface Asked {
  readonly name: string
  readonly shadow: ShadowPolicy<unknown>
  readonly asking: <A>(ask: () => A) => A
}

/**
 * Starts shadow policies for a log that grows. An answer in the file of answers is not written again.
 *
 * @param names names of the policies
 * @param header first line of the log
 */
export const shadowsOf = Effect.fnUntraced(function* (log: string, names: ReadonlyArray<string>, header: string) {
  const { describe } = yield* Reporter
  if (names.length === 0) return new Shadows([], undefined, describe)
  const decoded = yield* attempt(() => decodeRecord(header) as Header)
  const policies = yield* Policies
  const asked = yield* Effect.forEach(
    names,
    Effect.fnUntraced(function* (name: string) {
      const found = yield* policies.find(name)
      const { policy, placer } = yield* bind(found, headerTopology(decoded), {})
      const asking = <A>(ask: () => A): A => blamePolicy(found, 'place', ask)
      const shadow = yield* attempt(() => asking(() => shadowOf(name, decoded, placer)))
      return { name: `${policy.name}@${policy.version}`, shadow, asking } satisfies Asked
    }),
  )
  const file = yield* Effect.acquireRelease(
    attempt(() => new AnswersFile(shadowPath(log))),
    (opened) => Effect.sync(() => opened.close()),
  )
  return new Shadows(asked, file, describe)
})

function shadowOf(name: string, header: Header, placer: Placer<unknown>): ShadowPolicy<unknown> {
  try {
    return new ShadowPolicy(header, placer)
  } catch (error) {
    if (error instanceof RangeError)
      throw new OptionError({ option: 'shadow', reason: `found ${name}: ${error.message}` })
    throw error
  }
}

/** Policies that get every record of an observed log. Each answer is a line of the file `shadowPath`. */
export class Shadows {
  /** Number of answers that were written. */
  answers = 0
  readonly #asked: Set<Asked>
  /** File of answers; undefined without policies. */
  readonly #file: AnswersFile | undefined
  readonly #describe: Reporting['describe']
  /** Number of the last record about which the file of answers has a line, or -1 for a new file. */
  readonly #known: number
  readonly #faults: Array<string> = []

  constructor(asked: ReadonlyArray<Asked>, file: AnswersFile | undefined, describe: Reporting['describe']) {
    this.#asked = new Set(asked)
    this.#file = file
    this.#describe = describe
    this.#known = seqIn(file?.last)
  }

  readonly take = (record: LogRecord): void =>
    this.#each(({ name, shadow }) => {
      if (record.type === 'allocate' && record.seq > this.#known)
        this.#write(answer(name, record.nodes, shadow.ask(record)))
      else shadow.follow(record)
    })

  /** Asks the policies which waiting jobs could start, after a query of Slurm with new records. */
  readonly pass = (): void =>
    this.#each(({ name, shadow }) => {
      const pass = shadow.pass()
      if (pass === undefined || pass.seq <= this.#known) return
      const { seq, t, waiting, couldStart } = pass
      this.#write({ seq, t, policy: name, waiting, could_start: couldStart })
    })

  /** Returns the messages of policies that failed since the last call. A failed policy receives no further requests. */
  readonly faults = (): ReadonlyArray<string> => this.#faults.splice(0)

  /** A policy that fails is dropped, and the writing of the log goes on. */
  #each(ask: (asked: Asked) => void): void {
    for (const asked of this.#asked)
      try {
        asked.asking(() => ask(asked))
      } catch (error) {
        if (!(error instanceof PolicyFailedError)) throw error
        this.#asked.delete(asked)
        this.#faults.push(`${this.#describe(error)}; the policy gets no further requests`)
      }
  }

  #write(line: object): void {
    this.#file!.write(JSON.stringify(line))
    this.answers++
  }
}

function seqIn(line: string | undefined): number {
  const [, seq] = /^\{"seq":(\d+),/.exec(line ?? '') ?? []
  return seq === undefined ? -1 : Number(seq)
}

function answer(policy: string, nodes: string, { seq, t, job, outcome, isSame }: ShadowStart): object {
  const asked = { seq, t, policy, job, started_on: nodes }
  if (!outcome.ok) {
    const { code } = outcome
    return { ...asked, decision: 'refuses', code, ...('constraint' in outcome && { constraint: outcome.constraint }) }
  }
  return { ...asked, decision: isSame ? 'same' : 'elsewhere', nodes: formatIdset(outcome.nodes) }
}

/** File of lines that this process appends to. An incomplete last line is cut off when the file is opened. */
class AnswersFile {
  /** Last complete line of the file when the file was opened, or undefined for an empty file. */
  readonly last: string | undefined
  readonly #file: number

  /** Opens or creates the file of lines. @throws the error of the operating system */
  constructor(path: string) {
    this.#file = openSync(path, 'a+')
    const text = readFileSync(this.#file)
    const length = text.lastIndexOf('\n') + 1
    if (length < text.length) ftruncateSync(this.#file, length)
    this.last = length === 0 ? undefined : text.toString('utf8', text.lastIndexOf('\n', length - 2) + 1, length - 1)
  }

  write(line: string): void {
    writeSync(this.#file, `${line}\n`)
  }

  close(): void {
    closeSync(this.#file)
  }
}
