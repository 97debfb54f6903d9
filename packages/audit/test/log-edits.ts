import type { Header, LogRecord } from '@cloister/eventlog'
import { LogBuilder, type RunOptions } from './log-builder.ts'

/** Writes a log with new records between header and end; seqs, references to seqs, totals and seals are made to fit. */
export function rewritten(options: Partial<RunOptions>, records: ReadonlyArray<LogRecord>): LogBuilder {
  const body = records.filter(({ type }) => type !== 'header' && type !== 'seal' && type !== 'end')
  const log = new LogBuilder({ ...options, jobs: body.filter(({ type }) => type === 'submit').length })
  const numbers = new Map<number, number>()
  const renumber = (seq: number): number => numbers.get(seq) ?? 0
  for (const record of body) {
    const number = log.next
    if (record.type === 'cancel') log.cancel(record.t, record.job)
    else
      log.put({
        ...record,
        seq: number,
        ...('cause' in record ? { cause: renumber(record.cause) } : {}),
        ...(record.type === 'unreserve' ? { for: renumber(record.for) } : {}),
        ...('backfill' in record && record.backfill !== undefined ? { backfill: renumber(record.backfill) } : {}),
      } as Exclude<LogRecord, Header>)
    numbers.set(record.seq, number)
  }
  const last = body.at(-1)
  return log.end(last !== undefined && 't' in last ? last.t : 0)
}
