import { PgClient } from '@effect/sql-pg'
import { Context, Data, Deferred, Effect, Fiber, Layer, Logger, ManagedRuntime, Redacted, Schema, Scope } from 'effect'
import { PersistedQueue } from 'effect/persistence'
import { SqlClient } from 'effect/sql'
import type { CellQueue, CellQueueOptions, CellState, TakenCell } from './cell-queue.ts'

/** Table with the cells of all queues. Effect makes a second table for the version of the schema. */
const table = 'cloister_cells'

class Opened extends Context.Service<
  Opened,
  { readonly cells: PersistedQueue.PersistedQueue<string>; readonly scope: Scope.Scope }
>()('cloister/sweep-postgres/Opened') {}

/** Opens a queue of cells in a Postgres database, and creates missing tables. @throws Error with Postgres's message */
export async function openCellQueue({ url, name, leaseSeconds, attempts }: CellQueueOptions): Promise<CellQueue> {
  const signSeconds = leaseSeconds / 4
  const opened = Layer.effect(
    Opened,
    Effect.gen(function* () {
      const cells = yield* PersistedQueue.make({ name, schema: Schema.String, maxAttempts: attempts })
      return { cells, scope: yield* Effect.scope }
    }),
  )
  const store = PersistedQueue.layerStoreSql({
    tableName: table,
    lockRefreshInterval: `${signSeconds} seconds`,
    lockExpiration: `${leaseSeconds} seconds`,
    pollInterval: `${Math.min(signSeconds, 1)} seconds`,
  })
  const client = PgClient.layer({
    url: Redacted.make(url),
    ...passwordBeside(url),
    applicationName: 'cloister sweep',
    // Columns with times have no time zone: sessions in different time zones would disagree about the end of a lease.
    startupParameters: { TimeZone: 'UTC' },
  })
  const runtime = ManagedRuntime.make(
    opened.pipe(
      Layer.provide(PersistedQueue.layer),
      Layer.provide(store),
      Layer.provideMerge(client),
      // Effect's log would be printed among the results of the sweep.
      Layer.provideMerge(Logger.layer([])),
    ),
  )
  const run = async <A, E>(effect: Effect.Effect<A, E, Opened | SqlClient.SqlClient>): Promise<A> => {
    try {
      return await runtime.runPromise(effect)
    } catch (error) {
      throw new Error(reasonOf(error), { cause: error })
    }
  }
  const queue: CellQueue = {
    states: () => run(states(name)),
    offer: (ids) => run(offer(ids)),
    take: () => run(take(name, (effect) => run(effect), Math.min(signSeconds, 1))),
    close: () => runtime.dispose(),
  }
  try {
    await queue.states()
  } catch (error) {
    await queue.close()
    throw error
  }
  return queue
}

function passwordBeside(url: string) {
  const password = process.env['PGPASSWORD']
  const isNamed = URL.canParse(url) && (new URL(url).password !== '' || new URL(url).searchParams.has('password'))
  return password === undefined || isNamed ? {} : { password: Redacted.make(password) }
}

/** Returns the message of the innermost cause of an error, because outer messages name parts of Effect. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const inner = error.cause ?? (error as { readonly reason?: unknown }).reason
  return inner instanceof Error ? reasonOf(inner) : error.message
}

const states = Effect.fnUntraced(function* (name: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: string; readonly state: CellState }>`
    SELECT id, state FROM ${sql(table)} WHERE queue_name = ${name}`
  return new Map(rows.map(({ id, state }) => [id, state]))
})

const offer = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
  const { cells } = yield* Opened
  const sql = yield* SqlClient.SqlClient
  // Offers all cells in one transaction, because with a transaction for each cell every cell would wait for the disk.
  yield* Effect.forEach(ids, (id) => cells.offer(id, { id }), { discard: true }).pipe(sql.withTransaction)
})

type Run = <A>(effect: Effect.Effect<A, unknown, Opened | SqlClient.SqlClient>) => Promise<A>

class GivenBack extends Data.TaggedError('GivenBack') {}

const take = Effect.fnUntraced(function* (name: string, run: Run, pollSeconds: number) {
  const { cells, scope } = yield* Opened
  const sql = yield* SqlClient.SqlClient
  const taken = yield* Deferred.make<TakenCell>()
  const settled = yield* Deferred.make<void, GivenBack>()
  let isTaken = false
  const holding: Fiber.Fiber<void, unknown> = yield* cells
    .take((id, { attempts }) => {
      isTaken = true
      const settle = (how: Effect.Effect<boolean>) => () =>
        run(Effect.andThen(how, Fiber.join(holding).pipe(Effect.catchIf(isGivenBack, () => Effect.void))))
      const cell: TakenCell = {
        id,
        attempt: attempts,
        answered: settle(Deferred.succeed(settled, undefined)),
        giveBack: settle(Deferred.fail(settled, new GivenBack())),
      }
      return Effect.andThen(Deferred.succeed(taken, cell), Deferred.await(settled))
    })
    .pipe(Effect.forkIn(scope))
  const isOver = Effect.gen(function* () {
    for (;;) {
      const [left] = yield* sql<{ readonly pending: number }>`
        SELECT COUNT(*)::INT AS pending FROM ${sql(table)} WHERE queue_name = ${name} AND state = 'pending'`
      if (left.pending === 0 && !isTaken) return undefined
      yield* Effect.sleep(`${pollSeconds} seconds`)
    }
  })
  const waiting = Effect.raceFirst(Deferred.await(taken), Effect.andThen(Fiber.join(holding), Effect.never))
  const next = yield* Effect.raceFirst(waiting, isOver)
  if (next === undefined) yield* Fiber.interrupt(holding)
  return next
})

function isGivenBack(error: unknown): boolean {
  return error instanceof GivenBack
}
