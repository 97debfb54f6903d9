import { createHash } from 'node:crypto'
import { attempt } from '@cloister/run'
import { Data, Effect, Exit } from 'effect'
import type { CellWatcher } from './cell-workers.ts'
import { MOST_ATTEMPTS } from './claims.ts'
import type { Cell } from './experiment.ts'
import { ResultsRead } from './results-read.ts'
import type { CellTask } from './shard-queue.ts'
import { hopeless, type ShardOptions, startWorker } from './shard-worker.ts'
import type { SweepFolder } from './sweep-folder.ts'

/** Error of the queue of a sweep, such as a database that cannot be reached. */
export class CellQueueError extends Data.TaggedError('CellQueueError')<{ readonly reason: string }> {
  override get message(): string {
    return this.reason
  }
}

/** Cell that a worker has taken from a queue. */
export interface QueuedCell {
  readonly id: string
  /** Number of times that the queue has given out the cell, this time included. */
  readonly attempt: number
  readonly answered: () => Promise<void>
  readonly giveBack: () => Promise<void>
}

/** Queue of cells outside of the folder of a sweep, such as the queue of `@cloister/sweep-postgres`. */
export interface OutsideQueue {
  /** Returns the state of every cell that was ever offered to the queue: `pending`, `completed` or `failed`. */
  readonly states: () => Promise<ReadonlyMap<string, string>>
  readonly offer: (ids: ReadonlyArray<string>) => Promise<void>
  /** Takes the next cell; waits while other workers hold cells, which may return. Undefined if no cell is pending. */
  readonly take: () => Promise<QueuedCell | undefined>
  readonly close: () => Promise<void>
}

/** Name of a queue, equal for all workers of a sweep, and largest number of attempts at a cell. */
export interface QueueOptions {
  readonly name: string
  readonly attempts: number
}

/**
 * Runs cells from a queue until the queue is empty. Results go to the folder of the sweep.
 * @returns the outcome, and the number of cells (`elsewhere`) whose results workers with another folder have
 */
export const runQueue = Effect.fnUntraced(function* (
  cells: ReadonlyArray<Cell>,
  folder: SweepFolder,
  options: ShardOptions,
  open: (options: QueueOptions) => Promise<OutsideQueue>,
  watcher: CellWatcher,
) {
  const digests = cells.map(({ digest }) => digest).join()
  const name = `cloister ${createHash('sha256').update(digests).digest('hex')}`
  const queue = yield* Effect.acquireRelease(
    asked(() => open({ name, attempts: MOST_ATTEMPTS })),
    (opened) => Effect.promise(() => opened.close()),
  )
  const { run, fail, outcome } = yield* startWorker(folder, options)
  const read = new ResultsRead(folder)
  yield* attempt(() => read.refresh())
  yield* offerCells(queue, cells, read, options.retry)
  const byDigest = new Map(cells.map((each) => [each.digest, each]))
  const settle = Effect.fnUntraced(function* ({ id, attempt: at, answered, giveBack }: QueuedCell) {
    const { digest, round } = parseId(id)
    const task: CellTask = { ...byDigest.get(digest)!, attempt: attemptsBefore(round) + at }
    // At a second attempt, an earlier worker may have stored the result, and been killed before it told the queue.
    if (at > 1) yield* attempt(() => read.refresh())
    const isDone = at > 1 && read.isDone(digest)
    yield* (isDone ? Effect.void : run(task, watcher)).pipe(
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
  return { outcome: outcome(), elsewhere }
}, Effect.scoped)

/** Offers new cells without a result to the queue. With `retry`, also finished cells without a result, again. */
const offerCells = Effect.fnUntraced(function* (
  queue: OutsideQueue,
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

const roundsOf = Effect.fnUntraced(function* (queue: OutsideQueue) {
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
