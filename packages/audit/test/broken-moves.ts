import type { BrokenLog } from './broken-log.ts'
import { LogBuilder, type RunOptions } from './log-builder.ts'
import { EASY } from './small-logs.ts'

type Queue = RunOptions['queue']

const MOVABLE: Queue = { ...EASY, reservation: 'movable' }
const NEAR = { nodes: '0-3,12-15' }
const FAR = { nodes: '0-7' }

interface Moved {
  readonly queue: Queue
  /** Place of the move: before or after the start of the backfilled job `c`. */
  readonly move: 'before' | 'after'
  /** Size of the job `c`, which takes reserved nodes. */
  readonly size?: number
}

/**
 * Builds a log: `a` has 8 nodes until 100 s, `e` has 4 nodes until 150 s, and `b` reserves 8 nodes from 100 s. At 10 s
 * the job `c` is backfilled on nodes after 11, and the reservation of `b` moves. If the move comes after the start, `c`
 * ends before the reservation.
 */
function moved({ queue, move, size = 4 }: Moved): LogBuilder {
  const log = new LogBuilder({ jobs: 4, queue, estimates: 'requested' })
  log.submit(0, 'a', 8, 100)
  log.submit(0, 'e', 4, 150)
  log.submit(0, 'b', 8, 50)
  log.allocate(0, 'a', { nodes: '0-7' })
  log.allocate(0, 'e', { nodes: '8-11' })
  let reserve = log.reserve(0, 'b', 100, NEAR)
  const estimate = move === 'before' ? 100 : 20
  log.submit(10, 'c', size, estimate)
  const goAway = (): void => {
    log.unreserve(10, 'b', reserve)
    reserve = log.reserve(10, 'b', 100, FAR)
  }
  if (move === 'before') goAway()
  log.allocate(10, 'c', { nodes: size === 1 ? '12' : `12-${11 + size}` }, { backfill: reserve })
  if (move === 'after') goAway()
  if (move === 'after') log.complete(30, 'c')
  log.complete(100, 'a')
  log.allocate(100, 'b', FAR)
  if (move === 'before') log.complete(110, 'c')
  log.complete(150, 'e', 'b')
  return log.end(150)
}

/** Builds a log: `b` has reserved nodes 0-3 and 12-15, and the reservation moves when the idle node `down` fails. */
function afterFailure(queue: Queue, down: string): LogBuilder {
  const log = new LogBuilder({ jobs: 2, queue, estimates: 'requested' })
  log.submit(0, 'a', 11, 100)
  log.submit(0, 'b', 8, 50)
  log.allocate(0, 'a', { nodes: '0-10' })
  const reserve = log.reserve(0, 'b', 100, NEAR)
  log.down(10, { nodes: down })
  log.unreserve(10, 'b', reserve)
  log.reserve(10, 'b', 100, FAR)
  log.complete(100, 'a')
  log.allocate(100, 'b', FAR)
  log.complete(150, 'b')
  return log.end(150)
}

/**
 * Builds a log: `b` has reserved nodes 0-3 and 12-15 from 100 s, and node `down` fails. Then the reservation moves to
 * 120 s, when `e` ends, or is taken back.
 */
function lostAfterFailure(queue: Queue, down: string, loss: 'moved' | 'taken'): LogBuilder {
  const log = new LogBuilder({ jobs: 3, queue, estimates: 'requested' })
  log.submit(0, 'a', 7, 100)
  log.submit(0, 'e', 4, 120)
  log.submit(0, 'b', 8, 50)
  log.allocate(0, 'a', { nodes: '0-6' })
  log.allocate(0, 'e', { nodes: '8-11' })
  const reserve = log.reserve(0, 'b', 100, NEAR)
  log.down(10, { nodes: down })
  log.unreserve(10, 'b', reserve)
  if (loss === 'moved') log.reserve(10, 'b', 120, { nodes: '0-6,8' })
  log.complete(100, 'a')
  log.complete(120, 'e')
  log.allocate(120, 'b', { nodes: '0-6,8' })
  log.complete(170, 'b')
  return log.end(170)
}

/** Logs with reservations that move to other nodes and links against the options of the run. */
export const brokenMoves: ReadonlyArray<BrokenLog> = [
  {
    invariant: 'reservation-places',
    what: 'a fixed reservation makes way for a backfilled job',
    make: (broken) => moved({ queue: broken ? EASY : MOVABLE, move: 'before' }),
  },
  ...(['easy', 'conservative'] as const).map((backfill): BrokenLog => ({
    invariant: 'reservation-places',
    what: `a fixed reservation under ${backfill} moves, though none of its nodes has failed`,
    make: (broken) => afterFailure({ backfill, window: 2 }, broken ? '11' : '15'),
  })),
  {
    invariant: 'reservation-places',
    what: 'a fixed reservation under the kill option moves, though none of its nodes has failed',
    make: (broken) => afterFailure({ ...EASY, kill: true }, broken ? '11' : '15'),
  },
  ...(['easy', 'conservative'] as const).flatMap((backfill) =>
    (['moved', 'taken'] as const).map((loss): BrokenLog => ({
      invariant: 'reservation-places',
      what: `a reservation under ${backfill} is ${loss} ${loss === 'moved' ? 'to a later start' : 'back'} after the failure of a different node`,
      make: (broken) => lostAfterFailure({ backfill, window: 2 }, broken ? '7' : '15', loss),
    })),
  ),
  {
    invariant: 'reservation-places',
    what: 'a job moves a reservation, but is smaller than moveMinNodes',
    make: (broken) => moved({ queue: { ...MOVABLE, moveMinNodes: broken ? 5 : 4 }, move: 'before' }),
  },
  {
    invariant: 'reservation-places',
    what: 'a movable reservation moves, but no job starts right after',
    make: (broken) => moved({ queue: MOVABLE, move: broken ? 'after' : 'before' }),
  },
  {
    invariant: 'reservation-places',
    what: 'a replanned reservation moves after a backfilled job has started',
    make: (broken) => moved({ queue: { ...EASY, replan: true }, move: broken ? 'after' : 'before' }),
  },
]
