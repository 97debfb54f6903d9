import type { BrokenLog } from './broken-log.ts'
import { COMMUNICATES, LogBuilder } from './log-builder.ts'
import { oneJob } from './small-logs.ts'

export const brokenJobs: ReadonlyArray<BrokenLog> = [
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
    what: 'a job that still waits at the end of the log',
    make(broken) {
      const log = new LogBuilder({ jobs: 1 })
      log.submit(0, 'a', 16, 10)
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
      const log = new LogBuilder({ jobs: 1, refusals: true })
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
    what: 'an allocation with a node too many',
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
    what: 'an allocation with a node too few',
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
    what: 'a rank on a node without an owner',
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
    what: 'a finish at the estimate of the submit although the allocate has a different estimate',
    untested: 'runTimes',
    make(broken) {
      const t = broken ? 10 : 12.5
      const log = new LogBuilder({ jobs: 1, runTimes: 'communication' })
      log.submit(0, 'a', 4, 10, COMMUNICATES)
      log.allocate(0, 'a', { nodes: '0-3' }, { estimate: 12.5 })
      log.complete(t, 'a')
      return log.end(t)
    },
  },
  {
    invariant: 'finish-time',
    what: 'an allocate with an estimate although run times do not depend on the placement',
    untested: 'runTimes',
    make(broken) {
      const log = new LogBuilder({ jobs: 1, ...(broken ? {} : { runTimes: 'communication' }) })
      log.submit(0, 'a', 4, 10, COMMUNICATES)
      log.allocate(0, 'a', { nodes: '0-3' }, { estimate: 12.5 })
      log.complete(12.5, 'a')
      return log.end(12.5)
    },
  },
  {
    invariant: 'finish-time',
    what: "an allocate with an estimate although estimates are the users' walltimes",
    untested: 'runTimes',
    make(broken) {
      const log = new LogBuilder({ jobs: 1, runTimes: 'communication', estimates: broken ? 'requested' : 'exact' })
      log.submit(0, 'a', 4, 10, COMMUNICATES)
      log.allocate(0, 'a', { nodes: '0-3' }, { estimate: 12.5 })
      log.complete(12.5, 'a')
      return log.end(12.5)
    },
  },
  {
    invariant: 'finish-time',
    what: 'an allocate with an estimate for a job that does not communicate',
    untested: 'runTimes',
    make(broken) {
      const log = new LogBuilder({ jobs: 1, runTimes: 'communication' })
      log.submit(0, 'a', 4, 10, broken ? {} : COMMUNICATES)
      log.allocate(0, 'a', { nodes: '0-3' }, { estimate: 12.5 })
      log.complete(12.5, 'a')
      return log.end(12.5)
    },
  },
  {
    invariant: 'finish-time',
    what: 'a finish after the estimate although overruns are killed',
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
    invariant: 'job-life-cycle',
    what: 'a withdraw of a start that was withdrawn before',
    make(broken) {
      const log = new LogBuilder({ jobs: 1, origin: 'driven' })
      log.submit(0, 'a', 4, 10)
      const started = log.allocate(0, 'a', { nodes: '0-3' })
      const withdraw = (): number => log.put({ seq: log.next, t: 1, type: 'withdraw', job: 'a', of: started, cause: 1 })
      const withdrawn = withdraw()
      if (broken) withdraw()
      log.release(1, 'a', withdrawn)
      return log.end(1)
    },
  },
]
