import { createHash } from 'node:crypto'
import type { Header, LogRecord } from '@cloister/eventlog'
import type { BrokenLog } from './broken-log.ts'
import { LogBuilder } from './log-builder.ts'
import { EASY, OWNED, oneJob } from './small-logs.ts'

/** Logs of one job, with contradictory labels of arrays and heterogeneous jobs. */
const brokenGroups = (
  [
    ['a task of no array', { array_task: 3 }],
    ['a component of no heterogeneous job', { het_offset: 0 }],
    ['a job in an array and in a heterogeneous job', { array: '7', array_task: 1, het_job: '7', het_offset: 1 }],
  ] as const
).map(([what, labels]): BrokenLog => ({
  invariant: 'job-groups',
  what,
  make(broken) {
    const log = new LogBuilder({ jobs: 1 })
    log.submit(0, 'a', 4, 10, broken ? labels : { array: '7', array_task: 3 })
    log.allocate(0, 'a', { nodes: '0-3' })
    log.complete(10, 'a')
    return log.end(10)
  },
}))

export const brokenRecords: ReadonlyArray<BrokenLog> = [
  ...brokenGroups,
  {
    invariant: 'canonical-form',
    what: 'a blank in a line of a log whose seals have the right hashes',
    asBytes: true,
    make(broken) {
      const log = new LogBuilder({ jobs: 1 })
      log.submit(0, 'a', 17, 10)
      const reject: LogRecord = {
        seq: 2,
        t: 0,
        type: 'reject',
        job: 'a',
        code: 'never',
        constraint: 'machine size',
        cause: 1,
      }
      log.put(reject, broken ? JSON.stringify(reject).replace(',"t"', ', "t"') : undefined)
      return log.end(0)
    },
  },
  {
    invariant: 'seal-chain',
    what: 'a digit changed after sealing',
    asBytes: true,
    make(broken) {
      const log = oneJob().end(10)
      if (broken) log.lines[1] = log.lines[1].replace('"estimate":10', '"estimate":11')
      return log
    },
  },
  {
    invariant: 'topology',
    what: 'a tree with nodes on two leaves',
    make: () => oneJob().end(10),
    change: ([header, ...rest]) => [
      { ...(header as Header), topology: { name: 'odd', pgft: { m: [2, 2], w: [2, 2], p: [1, 1] } } },
      ...rest,
    ],
  },
  {
    invariant: 'sequence',
    what: 'a seq left out',
    make: () => oneJob().end(10),
    change: (records) =>
      records.map((record) =>
        record.seq < 5 ? record : { ...record, seq: record.seq + 1 },
      ) as ReadonlyArray<LogRecord>,
  },
  {
    invariant: 'sequence',
    what: 'a second header',
    make: () => oneJob().end(10),
    change: (records) => [
      ...records.slice(0, 5),
      { ...records[0], seq: 5 } as unknown as Header,
      ...records.slice(5).map((each) => ({ ...each, seq: each.seq + 1 }) as LogRecord),
    ],
  },
  {
    invariant: 'seals',
    what: 'a seal that is not due',
    make(broken) {
      const log = oneJob()
      if (broken) log.seal(10)
      return log.end(10)
    },
  },
  {
    invariant: 'seals',
    what: 'a seal left out',
    make: () => oneJob({ sealEvery: 3 }).end(10),
    change: (records) =>
      records
        .filter((record) => record.seq !== 6)
        .map((record, seq) => ({ ...record, seq })) as ReadonlyArray<LogRecord>,
  },
  {
    invariant: 'seals',
    what: 'a seal with a different time than the record before it',
    make(broken) {
      const log = new LogBuilder({ jobs: 1, sealEvery: 3 })
      log.submit(0, 'a', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3' })
      log.complete(10, 'a')
      log.end(10)
      if (broken) log.records[3] = { ...log.records[3], t: 5 } as LogRecord
      return log
    },
  },
  {
    invariant: 'seals',
    what: 'a seal after the final seal',
    make(broken) {
      const log = oneJob().end(10)
      if (broken) log.seal(10)
      return log
    },
  },
  {
    invariant: 'state-digest',
    what: 'the digest of a state in which the job still runs',
    make(broken) {
      const log = oneJob({ sealEvery: 3 })
      const whileRunning = (log.records[3] as { readonly state: string }).state
      log.end(10)
      const last = log.records.at(-1)!
      if (broken) log.records[log.records.length - 1] = { ...last, state: whileRunning } as LogRecord
      return log
    },
  },
  {
    invariant: 'ids-exist',
    what: 'an allocation of node 16, on a machine with nodes 0 to 15',
    make(broken) {
      const log = new LogBuilder({ jobs: 1 })
      log.submit(0, 'a', 2, 10)
      log.allocate(0, 'a', { nodes: broken ? '15-16' : '14-15' })
      log.complete(10, 'a')
      return log.end(10)
    },
  },
  {
    invariant: 'ids-exist',
    what: 'a link of a level that has no links',
    make: (broken) => {
      const log = new LogBuilder({ jobs: 1, ...OWNED })
      log.submit(0, 'a', 2, 10)
      log.allocate(0, 'a', { nodes: '0-1', links: broken ? ['0-1', '', '0'] : ['0-1'] })
      log.complete(10, 'a')
      return log.end(10)
    },
  },
  {
    invariant: 'ids-ascending',
    what: 'ids out of order',
    make(broken) {
      const log = new LogBuilder({ jobs: 1 })
      log.submit(0, 'a', 2, 10)
      log.allocate(0, 'a', { nodes: broken ? '5,3' : '3,5' })
      log.complete(10, 'a')
      return log.end(10)
    },
  },
  { invariant: 'time-order', what: 'the end before the last finish', make: (broken) => oneJob().end(broken ? 9 : 10) },
  {
    invariant: 'instant-order',
    what: 'a submit before a finish',
    make(broken) {
      const log = new LogBuilder({ jobs: 2 })
      log.submit(0, 'a', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3' })
      if (broken) log.submit(10, 'b', 4, 10)
      log.complete(10, 'a')
      if (!broken) log.submit(10, 'b', 4, 10)
      log.allocate(10, 'b', { nodes: '0-3' })
      log.complete(20, 'b')
      return log.end(20)
    },
  },
  {
    invariant: 'instant-order',
    what: 'finishes not in submit order',
    make(broken) {
      const log = new LogBuilder({ jobs: 2 })
      log.submit(0, 'a', 4, 10)
      log.submit(0, 'b', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3' })
      log.allocate(0, 'b', { nodes: '4-7' })
      log.complete(10, ...(broken ? ['b', 'a'] : ['a', 'b']))
      return log.end(10)
    },
  },
  {
    invariant: 'instant-order',
    what: 'a submit in the second round of an instant',
    make(broken) {
      const log = new LogBuilder({ jobs: 2 })
      log.submit(0, 'a', 4, 0)
      if (!broken) log.submit(0, 'b', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3' })
      if (!broken) log.allocate(0, 'b', { nodes: '4-7' })
      log.complete(0, 'a')
      if (broken) {
        log.submit(0, 'b', 4, 10)
        log.allocate(0, 'b', { nodes: '4-7' })
      }
      log.complete(10, 'b')
      return log.end(10)
    },
  },
  {
    invariant: 'instant-order',
    what: 'a job that started at an earlier instant ends after decisions',
    make(broken) {
      const log = new LogBuilder({ jobs: 3 })
      log.submit(0, 'a', 4, 10)
      log.submit(0, 'b', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3' })
      log.allocate(0, 'b', { nodes: '4-7' })
      log.complete(10, 'a')
      if (!broken) log.complete(10, 'b')
      log.submit(10, 'c', 4, 10)
      log.allocate(10, 'c', { nodes: '0-3' })
      if (broken) log.complete(10, 'b')
      log.complete(20, 'c')
      return log.end(20)
    },
  },
  {
    invariant: 'instant-order',
    what: 'a job that started at an earlier instant ends in the second round of an instant, after a job without run time',
    make(broken) {
      const log = new LogBuilder({ jobs: 3, queue: EASY })
      log.submit(0, 'a', 8, 10)
      log.submit(0, 'b', 12, 0)
      log.submit(0, 'c', 4, 10)
      log.allocate(0, 'a', { nodes: '0-7' })
      const reserve = log.reserve(0, 'b', 10, { nodes: '0-11' })
      log.allocate(0, 'c', { nodes: '12-15' }, { backfill: reserve })
      log.complete(10, ...(broken ? ['a'] : ['a', 'c']))
      log.allocate(10, 'b', { nodes: '0-11' })
      log.complete(10, ...(broken ? ['b', 'c'] : ['b']))
      return log.end(10)
    },
  },
  {
    invariant: 'causes',
    what: 'an allocate whose cause is an older input',
    make(broken) {
      const log = new LogBuilder({ jobs: 2 })
      const first = log.submit(0, 'a', 4, 10)
      const last = log.submit(0, 'b', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3' }, { cause: broken ? first : last })
      log.allocate(0, 'b', { nodes: '4-7' })
      log.complete(10, 'a', 'b')
      return log.end(10)
    },
  },
  {
    invariant: 'causes',
    what: 'a finish whose cause is the submit of the job',
    make(broken) {
      const log = new LogBuilder({ jobs: 1 })
      const submit = log.submit(0, 'a', 4, 10)
      const allocate = log.allocate(0, 'a', { nodes: '0-3' })
      log.finish(10, 'a', broken ? submit : allocate)
      log.release(10, 'a')
      return log.end(10)
    },
  },
  {
    invariant: 'causes',
    what: 'a release whose cause is the allocate of the job',
    make(broken) {
      const log = new LogBuilder({ jobs: 1 })
      log.submit(0, 'a', 4, 10)
      const allocate = log.allocate(0, 'a', { nodes: '0-3' })
      const finish = log.finish(10, 'a')
      log.release(10, 'a', broken ? allocate : finish)
      return log.end(10)
    },
  },
  {
    invariant: 'causes',
    what: 'a kill whose cause is a down record for nodes of a different job',
    make(broken) {
      const log = new LogBuilder({ jobs: 2 })
      log.submit(0, 'a', 4, 10)
      log.submit(0, 'b', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3' })
      log.allocate(0, 'b', { nodes: '4-7' })
      const downs = [log.down(5, { nodes: '3' }), log.down(5, { nodes: '4' })]
      log.kill(5, 'a', 'node-down', downs[broken ? 1 : 0])
      log.release(5, 'a')
      log.kill(5, 'b', 'node-down', downs[1])
      log.release(5, 'b')
      return log.end(5)
    },
  },
  {
    invariant: 'causes',
    what: 'a requeue whose cause is the down record',
    make(broken) {
      const log = new LogBuilder({ jobs: 1, queue: { backfill: 'none', requeue: true } })
      log.submit(0, 'a', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3' })
      const down = log.down(5, { nodes: '3' })
      const kill = log.kill(5, 'a', 'node-down', down)
      log.release(5, 'a')
      log.requeue(5, 'a', broken ? down : kill)
      log.allocate(5, 'a', { nodes: '4-7' })
      log.complete(15, 'a')
      return log.end(15)
    },
  },
  {
    invariant: 'causes',
    what: 'a kill whose cause is the cancel of another job',
    make(broken) {
      const log = new LogBuilder({ jobs: 2 })
      log.submit(0, 'a', 4, 10)
      log.submit(0, 'b', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3' })
      log.allocate(0, 'b', { nodes: '4-7' })
      const cancels = [log.cancel(5, 'a'), log.cancel(5, 'b')]
      log.kill(5, 'a', 'cancel', cancels[0])
      log.release(5, 'a')
      log.kill(5, 'b', 'cancel', cancels[broken ? 0 : 1])
      log.release(5, 'b')
      return log.end(5)
    },
  },
  {
    invariant: 'workload-count',
    what: 'a job of the workload that is never submitted',
    make: (broken) => oneJob({ jobs: broken ? 2 : 1 }).end(10),
  },
  {
    invariant: 'submits-checksum',
    what: 'a job with another name than the checksum in the header covers',
    make(broken) {
      const line = '{"seq":0,"t":0,"type":"submit","job":"a","size":4,"estimate":10}\n'
      const submitsSha256 = createHash('sha256').update(line).digest('hex')
      const log = new LogBuilder({ jobs: 1, submitsSha256 })
      log.submit(0, 'a', 4, 10, broken ? { name: 'lammps' } : {})
      log.allocate(0, 'a', { nodes: '0-3' })
      log.complete(10, 'a')
      return log.end(10)
    },
  },
  { invariant: 'totals', what: 'one start too many', make: (broken) => oneJob().end(10, broken ? { started: 2 } : {}) },
  {
    invariant: 'header',
    what: 'a topology with the name of another machine',
    make: () => oneJob().end(10),
    change: ofHeader((header) => ({ ...header, topology: { ...header.topology, name: 'radix:8' } })),
  },
  {
    invariant: 'header',
    what: 'the feature progress, for run times that do not depend on contention',
    make: () => oneJob().end(10),
    change: ofHeader((header) => ({ ...header, requires: ['progress'] })),
  },
  {
    invariant: 'header',
    what: 'the queue discipline external in a simulation',
    make: () => oneJob().end(10),
    change: ofHeader((header) => ({ ...header, options: { ...header.options, queue: 'external' } })),
  },
  {
    invariant: 'records-of-origin',
    what: 'a record with the field happened, in a simulation',
    make: () => oneJob().end(10),
    change: (records) => records.map((record) => (record.type === 'allocate' ? { ...record, happened: 0 } : record)),
  },
  {
    invariant: 'records-of-origin',
    what: 'a gap record in a simulation',
    make(broken) {
      const log = oneJob()
      if (broken) log.put({ seq: log.next, t: 10, type: 'gap', since: 10 })
      return log.end(10)
    },
  },
  {
    invariant: 'header',
    what: 'the option windowOrder, for a queue that does not backfill',
    make: () => oneJob().end(10),
    change: ofHeader((header) => ({ ...header, options: { ...header.options, windowOrder: 'largest' } })),
  },
  {
    invariant: 'header',
    what: 'the option replan, for a queue that makes no reservations',
    make: () => oneJob().end(10),
    change: ofHeader((header) => ({ ...header, options: { ...header.options, replan: true } })),
  },
  {
    invariant: 'header',
    what: 'the option reservation, for a queue that makes no reservations',
    make: () => oneJob().end(10),
    change: ofHeader((header) => ({ ...header, options: { ...header.options, reservation: 'fixed' } })),
  },
  {
    invariant: 'header',
    what: 'the option moveMinNodes, for a queue without movable reservations',
    make: () => oneJob().end(10),
    change: ofHeader((header) => ({ ...header, options: { ...header.options, moveMinNodes: 20 } })),
  },
  {
    invariant: 'header',
    what: 'a link_capacity although links are not shared up to a cap',
    make: () => oneJob().end(10),
    change: ofHeader((header) => ({ ...header, policy: { ...header.policy, link_capacity: 4000 } })),
  },
  ...[
    { jobs: 2, node_seconds: 1, of_node_seconds: 40 },
    { jobs: 1, node_seconds: 41, of_node_seconds: 40 },
  ].map((overruns): BrokenLog => ({
    invariant: 'header',
    what: `overruns of ${overruns.jobs} jobs and ${overruns.node_seconds} node-seconds, though the log has one job of 40 node-seconds`,
    make: () => oneJob().end(10),
    change: ofHeader((header) => ({ ...header, overruns })),
  })),
  {
    invariant: 'refusals-recorded',
    what: 'a refusal',
    make: (broken) => {
      const log = new LogBuilder({ jobs: 1, refusals: !broken })
      log.submit(0, 'a', 4, 10)
      log.refuse(0, 'a')
      log.allocate(0, 'a', { nodes: '0-3' })
      log.complete(10, 'a')
      return log.end(10)
    },
  },
  {
    invariant: 'refusals-recorded',
    what: 'a note',
    make: (broken) => {
      const log = new LogBuilder({ jobs: 1, refusals: !broken })
      log.submit(0, 'a', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3' }, { note: { pod: 0 } })
      log.complete(10, 'a')
      return log.end(10)
    },
  },
]

function ofHeader(change: (header: Header) => Header): NonNullable<BrokenLog['change']> {
  return (records) => records.map((record) => (record.type === 'header' ? change(record) : record))
}
