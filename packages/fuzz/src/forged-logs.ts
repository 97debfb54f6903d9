import { join } from 'node:path'
import type { Header, LogRecord } from '@cloister/eventlog'
import { isTagged, prepare, record, type Run } from '@cloister/run'
import { Files } from '@cloister/run/node'
import { type Context, Effect, Exit } from 'effect'
import * as fc from 'fast-check'
import { checkingWithin, type RunServices, type SearchOptions, usedUp } from './campaign.ts'
import { type FuzzCase, fuzzCases, specOf } from './cases.ts'
import { type Consumers, type Misreading, misreading, readAll, readForged } from './misreading.ts'
import { mutated, mutatedHeader, type Mutation, mutations, resealed } from './mutations.ts'

/** Range of the number of forgeries of each run's log. */
const FORGERIES = { least: 8, most: 24 }
/** Number of records between seals in forged logs, small enough that a shortened log still has some seals. */
const SEAL_EVERY = 8

interface Forgery {
  readonly header: Mutation | undefined
  readonly records: ReadonlyArray<Mutation>
}

/** Outcome of a search for commands that misread forged logs. */
export interface ForgingOutcome {
  readonly runs: number
  readonly forged: number
  /** Number of forgeries that no command reads, because the writer of logs refuses the changed records. */
  readonly unwritable: number
  readonly fault: ForgedFault | undefined
}

/**
 * Changes the logs of random runs like an attacker who knows the format, seals the forged logs, and gives each forged
 * log to every function of `consumers`. No function may crash or hang, and an audit with a rerun must not accept
 * decisions that the policy did not make.
 */
export const fuzzLogs = Effect.fnUntraced(function* (options: SearchOptions, consumers: Consumers) {
  const forger = new Forger(options, consumers, yield* Effect.context<RunServices>(), yield* Files)
  const property = fc.asyncProperty(fuzzCases(options.subjects), forgeries, (one, some) => forger.isRead(one, some))
  yield* Effect.promise(() => fc.check(property, { seed: options.seed, ...checkingWithin(options) }))
  const { tried, forged, unwritable, fault } = forger
  const outcome: ForgingOutcome = { runs: tried, forged, unwritable, fault }
  return outcome
})

const forgeries: fc.Arbitrary<ReadonlyArray<Forgery>> = fc.array(
  fc.record({
    header: fc.option(mutations, { nil: undefined, freq: 3 }),
    records: fc.array(mutations, { minLength: 1, maxLength: 3 }),
  }),
  { minLength: FORGERIES.least, maxLength: FORGERIES.most, size: 'max' },
)

/** Fault of a command that reads logs, and the bytes of the forged log. */
export interface ForgedFault extends Misreading {
  readonly bytes: Uint8Array
}

class Forger {
  tried = 0
  forged = 0
  /** Number of forgeries that no command reads, because the writer of logs refuses the changed records. */
  unwritable = 0
  /** Fault of the last faulty run; after the shrinking by fast-check, the fault of the smallest run. */
  fault: ForgedFault | undefined
  readonly #options: SearchOptions
  readonly #consumers: Consumers
  readonly #services: Context.Context<RunServices>
  readonly #files: Files['Service']
  readonly #began = performance.now()

  constructor(
    options: SearchOptions,
    consumers: Consumers,
    services: Context.Context<RunServices>,
    files: Files['Service'],
  ) {
    this.#options = options
    this.#consumers = consumers
    this.#services = services
    this.#files = files
  }

  /** Returns true if every command that reads logs handles all forgeries of the log of the run. */
  async isRead(one: FuzzCase, some: ReadonlyArray<Forgery>): Promise<boolean> {
    // A log on which a command hangs is not shrunk, because each further try would take as long again.
    if (this.fault?.isUnending === true) return true
    this.tried++
    this.#options.onProgress(usedUp(this.#options, this.tried, this.#began), this.tried)
    const folder = this.#files.makeTemporaryFolder('fuzz')
    try {
      const prepared = await Effect.runPromiseExit(
        prepare(specOf(one, folder, this.#files)).pipe(Effect.provideContext(this.#services)),
      )
      if (Exit.isFailure(prepared)) return true
      const run = prepared.value
      const chunks: Array<Uint8Array> = []
      record(run, (chunk) => chunks.push(chunk), { program: this.#options.tester.program })
      const { records: original } = readAll(new Uint8Array(Buffer.concat(chunks)))
      for (const forgery of some) {
        const bytes = this.#forge(original[0] as Header, original.slice(1), forgery)
        if (bytes === undefined) continue
        const fault = this.#misreading(bytes, original, run, folder)
        if (fault === undefined) continue
        this.fault = { ...fault, bytes }
        return false
      }
      return true
    } finally {
      this.#files.removeFolder(folder)
    }
  }

  #misreading(bytes: Uint8Array, original: ReadonlyArray<LogRecord>, run: Run, folder: string): Misreading | undefined {
    const log = readForged(bytes)
    if ('problem' in log) return log
    const path = join(folder, 'forged.ndjson')
    this.#files.writeText(path, Buffer.from(bytes).toString('latin1'), 'overwrite')
    return misreading({ bytes, path, ...log, original, run }, this.#consumers)
  }

  #forge(header: Header, body: Parameters<typeof mutated>[0], forgery: Forgery): Uint8Array | undefined {
    this.forged++
    const records = body.filter(({ type }) => type !== 'seal')
    const other = forgery.header === undefined ? header : mutatedHeader(header, forgery.header)
    try {
      const bytes = resealed({ ...other, seal_every: SEAL_EVERY }, mutated(records, forgery.records))
      if (bytes.length > 0) return bytes
    } catch (error) {
      if (!isTagged(error)) throw error
    }
    this.unwritable++
    return undefined
  }
}
