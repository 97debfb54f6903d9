import { join } from 'node:path'
import type { Header, LogRecord } from '@cloister/eventlog'
import { isTagged, OptionError, quoteWord, type Run } from '@cloister/run'
import { Console, type Context, Effect, Exit, Option } from 'effect'
import * as fc from 'fast-check'
import { attempt } from '../errors/attempt.ts'
import { ExitWith, exitCodes } from '../errors/exit.ts'
import { Files } from '../files/files.ts'
import { PolicyLookup } from '../policy/policy-lookup.ts'
import { recordTimed } from '../run/log-target.ts'
import { prepareRun } from '../run/prepare-run.ts'
import { print } from '../terminal/output.ts'
import { makeProgress, type Progress, share } from '../terminal/progress.ts'
import { count } from '../terminal/quantities.ts'
import { fields } from '../terminal/table.ts'
import type { FuzzOptions } from './fuzz.ts'
import { type FuzzCase, fuzzCases, specOf } from './fuzz-case.ts'
import { checkingWithin, type Limits, limitsOf } from './limits.ts'
import { subjectsGiven } from './subjects-given.ts'
import { type Misreading, misreading, readAll, readForged } from './log-consumers.ts'
import { type Mutation, mutatedHeader, mutated, mutations } from './log-mutations.ts'
import { resealed } from './reseal.ts'

/** Default of `--runs` with `--logs`. `FORGERIES` is the range of the number of forgeries of each run's log. */
const RUNS = 400
const FORGERIES = { least: 8, most: 24 }
/** Number of records between seals in forged logs, small enough that a shortened log still has some seals. */
const SEAL_EVERY = 8

interface Forgery {
  readonly header: Mutation | undefined
  readonly records: ReadonlyArray<Mutation>
}

/**
 * Runs `cloister fuzz --logs`: changes the logs of random runs like an attacker who knows the format, seals the forged
 * logs, and gives each forged log to every command that reads logs. No command may crash or hang, and `audit --rerun`
 * must not accept decisions that the policy did not make.
 */
export const fuzzLogs = Effect.fn(function* ({ policy, seed, out, json, ...options }: FuzzOptions) {
  const limits = yield* limitsOf(options, RUNS)
  if (Option.isSome(options.only))
    return yield* new OptionError({
      option: 'only',
      reason: 'cannot be used with --logs, because forged logs have no numbers',
    })
  const subjects = yield* subjectsGiven(policy, options.policyConfig)
  const context = yield* Effect.context<PolicyLookup>()
  const files = yield* Files
  const forger = new Forger(context, files, yield* makeProgress, limits)
  yield* Effect.promise(() =>
    fc.check(
      fc.asyncProperty(fuzzCases(subjects), forgeries, (one, some) => forger.isRead(one, some)),
      { seed, ...checkingWithin(limits) },
    ),
  )
  forger.progress.clear()
  const { forged, unwritable, fault } = forger
  const found = fault === undefined ? null : yield* keep(fault, out)
  const result = { seed, runs: forger.tried, forged, unwritable, fault: found }
  yield* print(json, result, () => describe(result))
  if (found !== null) return yield* new ExitWith(exitCodes.no)
})

const forgeries: fc.Arbitrary<ReadonlyArray<Forgery>> = fc.array(
  fc.record({
    header: fc.option(mutations, { nil: undefined, freq: 3 }),
    records: fc.array(mutations, { minLength: 1, maxLength: 3 }),
  }),
  { minLength: FORGERIES.least, maxLength: FORGERIES.most, size: 'max' },
)

interface ForgedFault extends Misreading {
  readonly bytes: Uint8Array
}

class Forger {
  tried = 0
  forged = 0
  /** Number of forgeries that no command reads, because the writer of logs refuses the changed records. */
  unwritable = 0
  /** Fault of the last faulty run; after the shrinking by fast-check, the fault of the smallest run. */
  fault: ForgedFault | undefined
  readonly progress: Progress
  readonly #services: Context.Context<PolicyLookup>
  readonly #files: Files['Service']
  readonly #limits: Limits
  readonly #began = performance.now()

  constructor(services: Context.Context<PolicyLookup>, files: Files['Service'], progress: Progress, limits: Limits) {
    this.#services = services
    this.#files = files
    this.progress = progress
    this.#limits = limits
  }

  /** Returns true if every command that reads logs handles all forgeries of the log of the run. */
  async isRead(one: FuzzCase, some: ReadonlyArray<Forgery>): Promise<boolean> {
    // A log on which a command hangs is not shrunk, because each further try would take as long again.
    if (this.fault?.isUnending === true) return true
    this.tried++
    const { runs, milliseconds } = this.#limits
    const done = Math.max(this.tried / runs, (performance.now() - this.#began) / milliseconds)
    this.progress.show(() => share('forging:', done, 1))
    const folder = this.#files.makeTemporaryFolder('fuzz')
    try {
      const prepared = await Effect.runPromiseExit(
        prepareRun(specOf(one, folder, this.#files), undefined).pipe(
          Effect.provideService(Console.Console, { ...console, error: () => {}, log: () => {} }),
          Effect.provideContext(this.#services),
        ),
      )
      if (Exit.isFailure(prepared)) return true
      const run = prepared.value
      const chunks: Array<Uint8Array> = []
      recordTimed(run, (chunk) => chunks.push(chunk), {})
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
    return misreading({ bytes, path, ...log, original, run })
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

const keep = Effect.fnUntraced(function* ({ bytes, command, problem }: ForgedFault, out: string) {
  const files = yield* Files
  const path = join(out, 'forged.ndjson')
  yield* attempt(() => {
    files.makeFolder(out)
    files.writeText(path, Buffer.from(bytes).toString('latin1'), 'overwrite')
  })
  const [verb, ...options] = command.split(' ')
  return { command, problem, reproduce: ['cloister', verb, quoteWord(path), ...options].join(' ') }
})

function describe({
  seed,
  runs,
  forged,
  unwritable,
  fault,
}: {
  readonly seed: number
  readonly runs: number
  readonly forged: number
  readonly unwritable: number
  readonly fault: { readonly problem: string; readonly reproduce: string } | null
}): string {
  const facts = fields([
    ['runs', `${count(runs)} of seed ${seed}`],
    [
      'forged',
      `${count(forged - unwritable)} logs, read by every command that reads logs; ${count(unwritable)} further forgeries that the format does not allow`,
    ],
    ['faults', fault === null ? 'none' : 'one, on a shrunk run'],
  ])
  return fault === null ? facts : `${facts}\n\n${fault.problem}\n\n  ${fault.reproduce}`
}
