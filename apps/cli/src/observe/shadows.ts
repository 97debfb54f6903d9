import { decodeRecord, type Header, headerTopology, type LogRecord } from '@cloister/eventlog'
import type { Placer } from '@cloister/placement'
import { ShadowPolicy, type ShadowStart } from '@cloister/replay'
import { bind, blamePolicy, OptionError, PolicyFailedError } from '@cloister/run'
import { attempt } from '@cloister/run/node'
import { formatIdset } from '@cloister/topology'
import { Effect } from 'effect'
import { messageOf } from '../errors/message.ts'
import { AppendedLines } from '../node/appended-lines.ts'
import { PolicyLookup } from '../policy/policy-lookup.ts'

/**
 * Policies of `--shadow`, which get every record of the observed log. Each answer is a line of the file `shadowPath`.
 */
export interface Shadows {
  readonly take: (record: LogRecord) => void
  /** Asks the policies which waiting jobs could start, after a query of Slurm with new records. */
  readonly pass: () => void
  readonly answers: () => number
  /** Returns the messages of policies that failed since the last call. A failed policy receives no further requests. */
  readonly faults: () => ReadonlyArray<string>
}

interface Asked {
  readonly name: string
  readonly shadow: ShadowPolicy<unknown>
  readonly asking: <A>(ask: () => A) => A
}

const none: Shadows = { take: () => {}, pass: () => {}, answers: () => 0, faults: () => [] }

/** Returns the path of the file with the answers of shadow policies: `live.shadow.ndjson` for `live.ndjson`. */
export function shadowPath(log: string): string {
  return `${log.replace(/\.ndjson$/, '')}.shadow.ndjson`
}

/**
 * Starts the policies of `--shadow` for a log that grows. An answer in the file of answers is not written again.
 * @param header first line of the log
 */
export const shadowsOf = Effect.fnUntraced(function* (log: string, names: ReadonlyArray<string>, header: string) {
  if (names.length === 0) return none
  const decoded = yield* attempt(() => decodeRecord(header) as Header)
  const policies = yield* PolicyLookup
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
    attempt(() => new AppendedLines(shadowPath(log))),
    (opened) => Effect.sync(() => opened.close()),
  )
  return new LiveShadows(asked, file)
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

class LiveShadows implements Shadows {
  readonly #asked: Set<Asked>
  readonly #file: AppendedLines
  /** Number of the last record about which the file of answers has a line, or -1 for a new file. */
  readonly #known: number
  readonly #faults: Array<string> = []
  #lines = 0

  constructor(asked: ReadonlyArray<Asked>, file: AppendedLines) {
    this.#asked = new Set(asked)
    this.#file = file
    this.#known = seqIn(file.last)
  }

  readonly answers = (): number => this.#lines
  readonly faults = (): ReadonlyArray<string> => this.#faults.splice(0)

  readonly take = (record: LogRecord): void =>
    this.#each(({ name, shadow }) => {
      if (record.type === 'allocate' && record.seq > this.#known)
        this.#write(answer(name, record.nodes, shadow.ask(record)))
      else shadow.follow(record)
    })

  readonly pass = (): void =>
    this.#each(({ name, shadow }) => {
      const pass = shadow.pass()
      if (pass === undefined || pass.seq <= this.#known) return
      const { seq, t, waiting, couldStart } = pass
      this.#write({ seq, t, policy: name, waiting, could_start: couldStart })
    })

  /** A policy that fails is dropped, and the writing of the log goes on. */
  #each(ask: (asked: Asked) => void): void {
    for (const asked of this.#asked)
      try {
        asked.asking(() => ask(asked))
      } catch (error) {
        if (!(error instanceof PolicyFailedError)) throw error
        this.#asked.delete(asked)
        this.#faults.push(`${messageOf(error)}; the policy gets no further requests`)
      }
  }

  #write(line: object): void {
    this.#file.write(JSON.stringify(line))
    this.#lines++
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
