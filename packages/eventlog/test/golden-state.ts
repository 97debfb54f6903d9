import { type Header, type LogRecord, LogState } from '../src/index.ts'

/** Returns the state after some records of a log, in a form for JSON; null if there are no records. */
export function stateAfter(records: ReadonlyArray<LogRecord>): unknown {
  if (records.length === 0) return null
  const state = new LogState(records[0] as Header)
  for (const record of records.slice(1)) state.apply(record)
  const { seq, t, freeNodes, downNodes, waiting, running, reservations, ended } = state
  return {
    seq,
    t,
    free: freeNodes.size,
    down: downNodes.size,
    waiting: [...waiting.keys()],
    running: [...running.keys()],
    reserved: [...reservations.keys()],
    ended,
  }
}
