import type { CellQueue, CellQueueOptions, TakenCell } from '@cloister/sweep-postgres'
import { createHash } from 'node:crypto'
import { Effect, Exit } from 'effect'
import { attempt } from '../errors/attempt.ts'
import { CellQueueError, MissingPackageError } from '../errors/errors.ts'
import { PolicyLookup } from '../policy/policy-lookup.ts'
import { remark } from '../terminal/output.ts'
import { count } from '../terminal/quantities.ts'
import { MOST_ATTEMPTS } from './claims.ts'
import type { Cell } from './cells.ts'
import { ResultsRead } from './results-read.ts'
import type { CellTask } from './shard-queue.ts'
import { hopeless, type ShardOptions, startWorker } from './shard-worker.ts'
import type { SweepFolder } from './sweep-folder.ts'

/** Package for sweeps through Postgres. Users install the package separately, because few users need the package. */
const adapter = '@cloister/sweep-postgres'

/** Version of the interface between this program and the package `@cloister/sweep-postgres`. */
const contract = 1

interface Adapter {
  readonly contract?: unknown
  readonly openCellQueue: (options: CellQueueOptions) => Promise<CellQueue>
}

/** Runs cells from a queue in a Postgres database until the queue is empty. Results go to the folder of the sweep. */
export const runPostgres = Effect.fnUntraced(function* (
  cells: ReadonlyArray<Cell>,
  folder: SweepFolder,
  options: ShardOptions,
  url: string,
) {
  const queue = yield* openQueue(url, cells, options.leaseSeconds)
  const { run, fail, finish } = yield* startWorker(folder, options)
  const read = new ResultsRead(folder)
  yield* attempt(() => read.refresh())
  yield* offerCells(queue, cells, read, options.retry)
  const byDigest = new Map(cells.map((each) => [each.digest, each]))
  const settle = Effect.fnUntraced(function* ({ id, attempt: at, answered, giveBack }: TakenCell) {
    const { digest, round } = parseId(id)
    const task: CellTask = { ...byDigest.get(digest)!, attempt: attemptsBefore(round) + at }
    // At a second attempt, an earlier worker may have stored the result, and been killed before it told the queue.
    if (at > 1) yield* attempt(() => read.refresh())
    const isDone = at > 1 && read.isDone(digest)
    yield* (isDone ? Effect.void : run(task, undefined)).pipe(
      Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Effect.ignore(asked(giveBack)))),
    )
    yield* asked(answered)
  })
  const serve = Effect.fnUntraced(function* () {
    for (;;) {
      const taken = yield* asked(() => queue.take())
      if (taken === undefined) return
      yield* settle(taken)
    }
  })
  yield* Effect.all(Array.from({ length: options.workers }, serve), { concurrency: options.workers, discard: true })
  yield* attempt(() => read.refresh())
  const rounds = yield* roundsOf(queue)
  for (const cell of cells) {
    const { digest } = cell
    const { round, state } = rounds.get(digest) ?? {}
    if (round === undefined || state !== 'failed' || read.isDone(digest)) continue
    yield* fail({ ...cell, attempt: attemptsBefore(round + 1) }, hopeless)
  }
  const elsewhere = cells.filter(
    ({ digest }) =>
      rounds.get(digest)?.state === 'completed' && !read.isDone(digest) && read.failureOf(digest) === undefined,
  ).length
  if (elsewhere > 0)
    yield* remark(
      `${count(elsewhere)} cells have results of workers with another folder than ${folder.path}; copy all folders together before sweep merge, or run the cells again by --retry`,
    )
  return yield* finish()
}, Effect.scoped)

const openQueue = Effect.fnUntraced(function* (url: string, cells: ReadonlyArray<Cell>, leaseSeconds: number) {
  const exports = (yield* (yield* PolicyLookup).importModule(adapter)) as Adapter | undefined
  if (exports === undefined)
    return yield* new MissingPackageError({ need: `--postgres needs ${adapter}`, specifier: adapter })
  if (exports.contract !== contract)
    return yield* new CellQueueError({
      reason: `${adapter} has contract ${String(exports.contract)}, and this cloister needs contract ${contract}; update the older of the two packages`,
    })
  const name = `cloister ${createHash('sha256')
    .update(cells.map(({ digest }) => digest).join())
    .digest('hex')}`
  return yield* Effect.acquireRelease(
    asked(() => exports.openCellQueue({ url, name, leaseSeconds, attempts: MOST_ATTEMPTS })),
    (queue) => Effect.promise(() => queue.close()),
  )
})

/** Offers new cells without a result to the queue. With `retry`, also finished cells without a result, again. */
const offerCells = Effect.fnUntraced(function* (
  queue: CellQueue,
  cells: ReadonlyArray<Cell>,
  read: ResultsRead,
  retry: boolean,
) {
  const rounds = yield* roundsOf(queue)
  const ids = cells.flatMap(({ digest }) => {
    const last = rounds.get(digest)
    if (read.isDone(digest)) return []
    if (last === undefined) return [idOf(digest, 1)]
    return retry && last.state !== 'pending' ? [idOf(digest, last.round + 1)] : []
  })
  yield* asked(() => queue.offer(ids))
})

const roundsOf = Effect.fnUntraced(function* (queue: CellQueue) {
  const rounds = new Map<string, { readonly round: number; readonly state: string }>()
  for (const [id, state] of yield* asked(() => queue.states())) {
    const { digest, round } = parseId(id)
    if (round > (rounds.get(digest)?.round ?? 0)) rounds.set(digest, { round, state })
  }
  return rounds
})

function idOf(digest: string, round: number): string {
  return `${digest}.${round}`
}

function parseId(id: string): { readonly digest: string; readonly round: number } {
  const [digest, round] = id.split('.')
  return { digest, round: Number(round) }
}

/** Attempts at a cell are counted over all rounds of the cell in the queue. */
function attemptsBefore(round: number): number {
  return (round - 1) * MOST_ATTEMPTS
}

function asked<A>(ask: () => Promise<A>): Effect.Effect<A, CellQueueError> {
  return Effect.tryPromise({
    try: ask,
    catch: (cause) => new CellQueueError({ reason: cause instanceof Error ? cause.message : String(cause) }),
  })
}
