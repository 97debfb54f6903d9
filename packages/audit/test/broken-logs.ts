import type { Header, LogRecord } from '@cloister/eventlog'
import type { BrokenLog } from './broken-log.ts'
import { brokenLaasLogs } from './broken-laas-logs.ts'
import { brokenRoutes } from './broken-routes.ts'
import { brokenSharingLogs } from './broken-sharing-logs.ts'
import { brokenTaLogs } from './broken-ta-logs.ts'
import { LogBuilder, type RunOptions } from './log-builder.ts'

const EASY: RunOptions['queue'] = { order: 'submit', backfill: 'easy', window: 2 }
const EASY_TRACE: Partial<RunOptions> = { queue: EASY, estimates: 'requested', overrun: 'run-on' }
const EASY_KILL: Partial<RunOptions> = { queue: EASY, estimates: 'requested', overrun: 'kill' }
const OWNED: Partial<RunOptions> = { claims: { links: 'owned' } }
const JIGSAW: Partial<RunOptions> = { claims: { links: 'owned', rule: 'jigsaw-conditions', full_bandwidth: true } }

/** One job of 4 nodes for 10 s. */
function oneJob(options: Partial<RunOptions> = {}): LogBuilder {
  const log = new LogBuilder({ jobs: 1, ...options })
  log.submit(0, 'a', 4, 10)
  log.allocate(0, 'a', { nodes: '0-3' })
  log.complete(10, 'a')
  return log
}

/** `a` takes 12 nodes to 100; `b` needs 8 and has reserved them. Radix 4 has 16. */
function withReservation(options: Partial<RunOptions> = {}): { readonly log: LogBuilder; readonly reserve: number } {
  const log = new LogBuilder({ jobs: 2, queue: EASY, ...options })
  log.submit(0, 'a', 12, 100)
  log.submit(0, 'b', 8, 50)
  log.allocate(0, 'a', { nodes: '0-11' })
  const reserve = log.reserve(0, 'b', 100, { nodes: '0-3,12-15' })
  return { log, reserve }
}

/** A user ends a job that runs. */
export function takeBack(log: LogBuilder, t: number, job: string): void {
  log.kill(t, job, 'cancel', log.cancel(t, job))
  log.release(t, job)
}

function jigsawJob(size: number, nodes: string, links: ReadonlyArray<string>): LogBuilder {
  const log = new LogBuilder({ jobs: 1, ...JIGSAW })
  log.submit(0, 'a', size, 10)
  log.allocate(0, 'a', { nodes, links })
  log.complete(10, 'a')
  return log.end(10)
}

/** `b` has reserved what `a`, of unknown length, holds. */
export function latePromise(queue: RunOptions['queue'], broken: boolean): LogBuilder {
  const ends = broken ? 101 : 100
  const log = new LogBuilder({ jobs: 2, queue })
  log.submit(0, 'a', 12)
  log.submit(0, 'b', 8, 50)
  log.allocate(0, 'a', { nodes: '0-11' })
  log.reserve(0, 'b', 100, { nodes: '0-3,12-15' })
  log.complete(ends, 'a')
  log.allocate(ends, 'b', { nodes: '0-3,12-15' })
  log.complete(ends + 50, 'b')
  return log.end(ends + 50)
}

export const brokenLogs: ReadonlyArray<BrokenLog> = [
  {
    invariant: 'canonical-form',
    what: 'a blank in a line, rightly hashed',
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
    what: 'a tree whose nodes hang on two leaves',
    make: () => oneJob().end(10),
    change: ([header, ...rest]) => [
      { ...(header as Header), topology: { name: 'odd', pgft: { m: [2, 2], w: [2, 2], p: [1, 1] } } },
      ...rest,
    ],
  },
  {
    invariant: 'sequence',
    what: 'a number left out',
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
    what: 'a seal at another time than its record',
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
    what: 'a seal after the last',
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
    what: 'node 16 of 16',
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
    what: 'a link of a level that has none',
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
    what: 'a job that started before ends after decisions',
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
    what: 'a job that started before ends after one of no length, in the second round',
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
    what: 'an allocate that names an older input',
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
    what: 'a finish that names its submit',
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
    what: 'a release that names its allocate',
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
    what: 'a kill for a node of another job that went down too',
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
    what: 'a requeue that names the down',
    make(broken) {
      const log = new LogBuilder({ jobs: 1, queue: { order: 'submit', backfill: 'none', requeue: true } })
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
    what: 'a kill for a cancel of another job',
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
  { invariant: 'totals', what: 'one start too many', make: (broken) => oneJob().end(10, broken ? { started: 2 } : {}) },
  {
    invariant: 'node-exclusive',
    what: 'a node given twice',
    make(broken) {
      const log = new LogBuilder({ jobs: 2 })
      log.submit(0, 'a', 4, 10)
      log.submit(0, 'b', 4, 20)
      log.allocate(0, 'a', { nodes: '0-3' })
      log.allocate(0, 'b', { nodes: broken ? '3-6' : '4-7' })
      log.complete(10, 'a')
      log.complete(20, 'b')
      return log.end(20)
    },
  },
  {
    invariant: 'link-exclusive',
    what: 'an uplink given twice',
    make(broken) {
      const log = new LogBuilder({ jobs: 2, ...JIGSAW })
      log.submit(0, 'a', 2, 10)
      log.submit(0, 'b', 2, 20)
      log.allocate(0, 'a', { nodes: '0,2', links: ['0,2'] })
      log.allocate(0, 'b', { nodes: '1,3', links: [broken ? '0,2' : '1,3'] })
      log.complete(10, 'a')
      log.complete(20, 'b')
      return log.end(20)
    },
  },
  {
    invariant: 'down-unused',
    what: 'a node that is down is allocated',
    make(broken) {
      const log = new LogBuilder({ jobs: 1 })
      log.down(0, { nodes: '3' })
      log.submit(0, 'a', 4, 10)
      log.allocate(0, 'a', { nodes: broken ? '0-3' : '4-7' })
      log.complete(10, 'a')
      log.up(10, { nodes: '3' })
      return log.end(10)
    },
  },
  {
    invariant: 'down-up',
    what: 'a node comes up that was not down',
    make(broken) {
      const log = new LogBuilder({ jobs: 0 })
      log.down(0, { nodes: '3', links: ['2'] })
      log.up(5, { nodes: broken ? '4' : '3', links: ['2'] })
      return log.end(5)
    },
  },
  {
    invariant: 'down-up',
    what: 'a link goes down twice',
    make(broken) {
      const log = new LogBuilder({ jobs: 0 })
      log.down(0, { nodes: '', links: ['2'] })
      log.down(5, { nodes: '', links: [broken ? '2-3' : '3'] })
      return log.end(5)
    },
  },
  {
    invariant: 'release-restores',
    what: 'a second release',
    make(broken) {
      const log = oneJob()
      if (broken) log.release(10, 'a')
      return log.end(10)
    },
  },
  {
    invariant: 'release-restores',
    what: 'a release at a later instant',
    make(broken) {
      const log = new LogBuilder({ jobs: 2 })
      log.submit(0, 'a', 4, 10)
      log.submit(0, 'b', 4, 20)
      log.allocate(0, 'a', { nodes: '0-3' })
      log.allocate(0, 'b', { nodes: '4-7' })
      const finish = log.finish(10, 'a')
      if (!broken) log.release(10, 'a', finish)
      log.finish(20, 'b')
      if (broken) log.release(20, 'a', finish)
      log.release(20, 'b')
      return log.end(20)
    },
  },
  {
    invariant: 'conservation',
    what: 'a job still runs at the end',
    make(broken) {
      const log = new LogBuilder({ jobs: 1 })
      log.submit(0, 'a', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3' })
      if (!broken) log.complete(10, 'a')
      return log.end(10)
    },
  },
  {
    invariant: 'job-life-cycle',
    what: 'a job submitted twice',
    make(broken) {
      const log = oneJob({ jobs: broken ? 2 : 1 })
      if (broken) log.submit(10, 'a', 4, 10)
      return log.end(10)
    },
  },
  {
    invariant: 'job-life-cycle',
    what: 'a cancel after the finish',
    make(broken) {
      const log = oneJob()
      if (broken) log.cancel(10, 'a')
      return log.end(10)
    },
  },
  {
    invariant: 'job-life-cycle',
    what: 'a job that waits for ever',
    make(broken) {
      const log = new LogBuilder({ jobs: 1 })
      log.submit(0, 'a', 17, 10)
      if (!broken) log.reject(0, 'a')
      return log.end(0)
    },
  },
  {
    invariant: 'job-life-cycle',
    what: 'a second finish',
    make(broken) {
      const log = new LogBuilder({ jobs: 1 })
      log.submit(0, 'a', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3' })
      if (broken) log.finish(10, 'a')
      log.complete(10, 'a')
      return log.end(10)
    },
  },
  {
    invariant: 'job-life-cycle',
    what: 'a reject of a running job',
    make(broken) {
      const log = new LogBuilder({ jobs: 1 })
      log.submit(0, 'a', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3' })
      if (broken) log.reject(0, 'a')
      log.complete(10, 'a')
      return log.end(10)
    },
  },
  {
    invariant: 'job-life-cycle',
    what: 'a refusal of a job that was never submitted',
    make(broken) {
      const log = new LogBuilder({ jobs: 1 })
      log.submit(0, 'a', 4, 10)
      log.refuse(0, broken ? 'b' : 'a')
      log.allocate(0, 'a', { nodes: '0-3' })
      log.complete(10, 'a')
      return log.end(10)
    },
  },
  {
    invariant: 'job-life-cycle',
    what: 'a requeue of a job that finished',
    make(broken) {
      const log = oneJob()
      if (broken) log.requeue(10, 'a', 0)
      return log.end(10)
    },
  },
  {
    invariant: 'exact-size',
    what: 'a node too many',
    make(broken) {
      const log = new LogBuilder({ jobs: 1 })
      log.submit(0, 'a', 4, 10)
      log.allocate(0, 'a', { nodes: broken ? '0-4' : '0-3' })
      log.complete(10, 'a')
      return log.end(10)
    },
  },
  {
    invariant: 'enough-nodes',
    what: 'a node too few',
    make(broken) {
      const log = new LogBuilder({ jobs: 1, claims: { exact_size: false } })
      log.submit(0, 'a', 4, 10)
      log.allocate(0, 'a', { nodes: broken ? '0-2' : '0-5' })
      log.complete(10, 'a')
      return log.end(10)
    },
  },
  {
    invariant: 'ranks',
    what: 'a rank on a node of nobody',
    make(broken) {
      const log = new LogBuilder({ jobs: 1 })
      log.submit(0, 'a', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3' }, { ranks: broken ? [3, 2, 1, 0, 4] : [3, 2, 1, 0] })
      log.complete(10, 'a')
      return log.end(10)
    },
  },
  {
    invariant: 'ranks',
    what: 'a node without rank',
    make(broken) {
      const log = new LogBuilder({ jobs: 1 })
      log.submit(0, 'a', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3' }, { ranks: broken ? [3, 2, 1, 1] : [3, 2, 1, 0] })
      log.complete(10, 'a')
      return log.end(10)
    },
  },
  {
    invariant: 'finish-time',
    what: 'a finish a millisecond late under exact estimates',
    make(broken) {
      const t = broken ? 10.001 : 10
      const log = new LogBuilder({ jobs: 1 })
      log.submit(0, 'a', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3' })
      log.complete(t, 'a')
      return log.end(t)
    },
  },
  {
    invariant: 'finish-time',
    what: 'an early finish under exact estimates',
    make(broken) {
      const log = new LogBuilder({ jobs: 1, estimates: broken ? 'exact' : 'requested' })
      log.submit(0, 'a', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3' })
      log.complete(9, 'a')
      return log.end(9)
    },
  },
  {
    invariant: 'finish-time',
    what: 'a finish at the estimate of the submit, where the allocate has another',
    make(broken) {
      const t = broken ? 10 : 12.5
      const log = new LogBuilder({ jobs: 1, runTimes: 'test' })
      log.submit(0, 'a', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3' }, { estimate: 12.5 })
      log.complete(t, 'a')
      return log.end(t)
    },
  },
  {
    invariant: 'finish-time',
    what: 'a estimate of its own where run times do not depend on the placement',
    make(broken) {
      const log = new LogBuilder({ jobs: 1, ...(broken ? {} : { runTimes: 'test' }) })
      log.submit(0, 'a', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3' }, { estimate: 12.5 })
      log.complete(12.5, 'a')
      return log.end(12.5)
    },
  },
  {
    invariant: 'finish-time',
    what: "a estimate of its own where estimates are the users'",
    make(broken) {
      const log = new LogBuilder({ jobs: 1, runTimes: 'test', estimates: broken ? 'requested' : 'exact' })
      log.submit(0, 'a', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3' }, { estimate: 12.5 })
      log.complete(12.5, 'a')
      return log.end(12.5)
    },
  },
  {
    invariant: 'finish-time',
    what: 'a finish after the estimate where overruns are killed',
    make(broken) {
      const t = broken ? 11 : 10
      const log = new LogBuilder({ jobs: 1, estimates: 'requested', overrun: 'kill' })
      log.submit(0, 'a', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3' })
      log.complete(t, 'a')
      return log.end(t)
    },
  },
  {
    invariant: 'finish-time',
    what: 'a kill before the estimate is over',
    make(broken) {
      const t = broken ? 9 : 10
      const log = new LogBuilder({ jobs: 1, estimates: 'requested', overrun: 'kill' })
      log.submit(0, 'a', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3' })
      log.kill(t, 'a', 'estimate')
      log.release(t, 'a')
      return log.end(t)
    },
  },
  {
    invariant: 'queue-order',
    what: 'the second job first',
    make(broken) {
      const log = new LogBuilder({ jobs: 2 })
      log.submit(0, 'a', 4, 10)
      log.submit(0, 'b', 4, 10)
      for (const job of broken ? ['b', 'a'] : ['a', 'b']) log.allocate(0, job, { nodes: job === 'a' ? '0-3' : '4-7' })
      log.complete(10, 'a', 'b')
      return log.end(10)
    },
  },
  {
    invariant: 'head-reserved',
    what: 'a head that nobody cares for',
    make(broken) {
      const log = new LogBuilder({ jobs: 2, queue: EASY })
      log.submit(0, 'a', 12, 100)
      log.submit(0, 'b', 8, 50)
      log.allocate(0, 'a', { nodes: '0-11' })
      if (!broken) log.reserve(0, 'b', 100, { nodes: '0-3,12-15' })
      log.complete(100, 'a')
      log.allocate(100, 'b', { nodes: '0-3,12-15' })
      log.complete(150, 'b')
      return log.end(150)
    },
  },
  {
    invariant: 'reservations',
    what: 'two at a time',
    make(broken) {
      const { log } = withReservation()
      if (broken) log.reserve(0, 'b', 100, { nodes: '0-3,12-15' })
      log.complete(100, 'a')
      log.allocate(100, 'b', { nodes: '0-3,12-15' })
      log.complete(150, 'b')
      return log.end(150)
    },
  },
  {
    invariant: 'reservations',
    what: 'an unreserve of nothing',
    make(broken) {
      const { log, reserve } = withReservation()
      log.complete(100, 'a')
      log.unreserve(100, 'b', broken ? reserve - 1 : reserve)
      log.allocate(100, 'b', { nodes: '0-3,12-15' })
      log.complete(150, 'b')
      return log.end(150)
    },
  },
  {
    invariant: 'reservations',
    what: 'one that outlives its job',
    make(broken) {
      const { log, reserve } = withReservation()
      log.cancel(50, 'b')
      if (!broken) log.unreserve(50, 'b', reserve)
      log.complete(100, 'a')
      return log.end(100)
    },
  },
  {
    invariant: 'reservation-free',
    what: 'a start before what it names is free',
    make(broken) {
      const log = new LogBuilder({ jobs: 2, ...EASY_KILL })
      log.submit(0, 'a', 12, 100)
      log.submit(0, 'b', 8, 50)
      log.allocate(0, 'a', { nodes: '0-11' })
      log.reserve(0, 'b', broken ? 99.999 : 100, { nodes: '0-3,12-15' })
      log.complete(100, 'a')
      log.allocate(100, 'b', { nodes: '0-3,12-15' })
      log.complete(150, 'b')
      return log.end(150)
    },
  },
  {
    invariant: 'reservation-moves',
    what: 'later without reason',
    make(broken) {
      const { log, reserve } = withReservation({ jobs: 3, ...EASY_KILL })
      log.submit(50, 'c', 16, 10)
      log.unreserve(50, 'b', reserve)
      log.reserve(50, 'b', broken ? 101 : 100, { nodes: '0-3,12-15' })
      log.complete(100, 'a')
      log.allocate(100, 'b', { nodes: '0-3,12-15' })
      log.reserve(100, 'c', 150, { nodes: '0-15' })
      log.complete(150, 'b')
      log.allocate(150, 'c', { nodes: '0-15' })
      log.complete(160, 'c')
      return log.end(160)
    },
  },
  {
    invariant: 'backfill',
    what: 'backfilled against a record that is no reservation',
    make(broken) {
      const { log, reserve } = withReservation({ jobs: 3, ...EASY_TRACE })
      log.submit(10, 'c', 2, 10)
      log.allocate(10, 'c', { nodes: '12-13' }, { backfill: broken ? reserve - 1 : reserve })
      log.complete(20, 'c')
      log.complete(100, 'a')
      log.allocate(100, 'b', { nodes: '0-3,12-15' })
      log.complete(150, 'b')
      return log.end(150)
    },
  },
  {
    invariant: 'backfill',
    what: 'backfilled against its own reservation',
    make(broken) {
      const { log, reserve } = withReservation()
      log.complete(100, 'a')
      log.allocate(100, 'b', { nodes: '0-3,12-15' }, broken ? { backfill: reserve } : {})
      log.complete(150, 'b')
      return log.end(150)
    },
  },
  {
    invariant: 'backfill-window',
    what: 'the third behind the head in a window of two',
    make(broken) {
      const { log, reserve } = withReservation({ jobs: 5, queue: { ...EASY, window: broken ? 2 : 3 } })
      log.submit(10, 'c', 16, 10)
      log.submit(10, 'd', 1, 20)
      log.submit(10, 'e', 1, 10)
      log.allocate(10, 'd', { nodes: '13' }, { backfill: reserve })
      log.allocate(10, 'e', { nodes: '12' }, { backfill: reserve })
      log.complete(20, 'e')
      log.complete(30, 'd')
      log.complete(100, 'a')
      log.allocate(100, 'b', { nodes: '0-3,12-15' })
      log.reserve(100, 'c', 150, { nodes: '0-15' })
      log.complete(150, 'b')
      log.allocate(150, 'c', { nodes: '0-15' })
      log.complete(160, 'c')
      return log.end(160)
    },
  },
  {
    invariant: 'backfill-window',
    what: 'not in submit order',
    make(broken) {
      const { log, reserve } = withReservation({ jobs: 4 })
      log.submit(10, 'c', 1, 10)
      log.submit(10, 'd', 1, 10)
      for (const job of broken ? ['d', 'c'] : ['c', 'd'])
        log.allocate(10, job, { nodes: job === 'c' ? '12' : '13' }, { backfill: reserve })
      log.complete(20, 'c', 'd')
      log.complete(100, 'a')
      log.allocate(100, 'b', { nodes: '0-3,12-15' })
      log.complete(150, 'b')
      return log.end(150)
    },
  },
  {
    invariant: 'backfill-no-delay',
    what: 'a reserved node for a second too long',
    make(broken) {
      const { log, reserve } = withReservation({ jobs: 3, ...EASY_TRACE })
      log.submit(10, 'c', 2, broken ? 91 : 90)
      log.allocate(10, 'c', { nodes: '12-13' }, { backfill: reserve })
      log.complete(20, 'c')
      log.complete(100, 'a')
      log.allocate(100, 'b', { nodes: '0-3,12-15' })
      log.complete(150, 'b')
      return log.end(150)
    },
  },
  {
    invariant: 'backfill-no-delay',
    what: 'a reserved node for too long, as it takes where it starts',
    make(broken) {
      const { log, reserve } = withReservation({ jobs: 3, queue: EASY, runTimes: 'test' })
      log.submit(10, 'c', 2, 10)
      log.allocate(10, 'c', { nodes: '12-13' }, { backfill: reserve, estimate: broken ? 91 : 90 })
      takeBack(log, 20, 'c')
      log.complete(100, 'a')
      log.allocate(100, 'b', { nodes: '0-3,12-15' })
      log.complete(150, 'b')
      return log.end(150)
    },
  },
  {
    invariant: 'backfill-no-delay',
    what: 'a reserved uplink for too long',
    make(broken) {
      const log = new LogBuilder({ jobs: 3, queue: EASY, estimates: 'requested', ...JIGSAW })
      log.submit(0, 'a', 2, 100)
      log.submit(0, 'b', 2, 50)
      log.submit(0, 'c', 2, 200)
      log.allocate(0, 'a', { nodes: '0-1' })
      const reserved = { nodes: '0,2', links: ['0,2'] }
      const reserve = log.reserve(0, 'b', 100, reserved)
      log.allocate(0, 'c', { nodes: '3,5', links: broken ? ['2,4', '0,4'] : ['3,5', '2,6'] }, { backfill: reserve })
      log.complete(50, 'c')
      log.complete(100, 'a')
      log.allocate(100, 'b', reserved)
      log.complete(150, 'b')
      return log.end(150)
    },
  },
  {
    invariant: 'easy-first-reservation',
    what: 'the head starts after its reservation, behind a job that never said how long it runs',
    make: (broken) => latePromise(EASY, broken),
  },
  {
    invariant: 'jigsaw-conditions',
    what: 'an uplink too many',
    make: (broken) => jigsawJob(4, '0-3', [broken ? '0-4' : '0-3']),
  },
  ...brokenLaasLogs,
  ...brokenTaLogs,
  ...brokenRoutes,
  ...brokenSharingLogs,
]
