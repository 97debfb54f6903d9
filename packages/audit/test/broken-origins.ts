import type { Header, LogRecord } from '@cloister/eventlog'
import type { BrokenLog } from './broken-log.ts'
import { LogBuilder, type RunOptions } from './log-builder.ts'

/** Builds the log of one job, with `more` records while the job runs and `changed` fields of the records of one type. */
function changed(
  origin: Header['origin'],
  type: LogRecord['type'],
  fields: object,
  options: Partial<RunOptions> = {},
): Pick<BrokenLog, 'make' | 'change'> {
  return {
    make() {
      const log = new LogBuilder({ jobs: 1, origin, ...options })
      log.submit(0, 'a', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3' })
      log.complete(10, 'a')
      return log.end(10)
    },
    change: (records) => records.map((record) => (record.type === type ? { ...record, ...fields } : record)),
  }
}

/** Builds the log of one job, with or without a record while the job runs. */
function added(
  origin: Header['origin'],
  record: (log: LogBuilder) => object,
  options: Partial<RunOptions> = {},
): Pick<BrokenLog, 'make'> {
  return {
    make(broken) {
      const log = new LogBuilder({ jobs: 1, origin, ...options })
      log.submit(0, 'a', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3' })
      if (broken) log.put({ seq: log.next, t: 5, ...record(log) } as Exclude<LogRecord, Header>)
      log.complete(10, 'a')
      return log.end(10)
    },
  }
}

const EXTERNAL: RunOptions['queue'] = { backfill: 'external' }

const found = (what: string, log: Pick<BrokenLog, 'make' | 'change'>): BrokenLog => ({
  invariant: 'records-of-origin',
  what,
  ...log,
})

/** Logs with records and fields that no log of their origin has. */
export const brokenOrigins: ReadonlyArray<BrokenLog> = [
  found('a failed finish in a simulation', changed('simulated', 'finish', { status: 'failed' })),
  found('a start by a foreign scheduler in a simulation', changed('simulated', 'allocate', { started_by: 'main' })),
  found('graphics processors of an allocation in a driven log', changed('driven', 'allocate', { gpus: 8 })),
  found('an allocate with the field happened in a driven log', changed('driven', 'allocate', { happened: 0 })),
  found('a release with the field happened in a driven log', changed('driven', 'release', { happened: 0 })),
  found('a note in an observed log', {
    ...changed('observed', 'allocate', { note: 1 }, { refusals: true, queue: EXTERNAL }),
  }),
  found(
    'a progress record in a driven log',
    added('driven', () => ({ type: 'progress', job: 'a', rate: 900, cause: 2 })),
  ),
  ...(['reject', 'refuse'] as const).map((type) =>
    found(`a ${type} record in an observed log`, {
      make(broken) {
        const log = new LogBuilder({ jobs: 1, origin: 'observed', refusals: true, queue: EXTERNAL })
        log.submit(0, 'a', 4, 10)
        if (broken) log[type](0, 'a')
        if (!broken || type === 'refuse') log.allocate(0, 'a', { nodes: '0-3' })
        if (!broken || type === 'refuse') log.complete(10, 'a')
        return log.end(10)
      },
    }),
  ),
  found('a simulation that goes on after a fault', {
    make(broken) {
      const log = new LogBuilder({ jobs: 1 })
      log.submit(0, 'a', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3' })
      if (broken) {
        const cause = log.next - 1
        const fault = { purpose: 'start', request: {}, message: 'no such leaf', cause }
        log.put({ seq: log.next, t: 0, type: 'fault', job: 'a', ...fault })
        log.seal(0)
      }
      log.complete(10, 'a')
      return log.end(10)
    },
  }),
]
