import type { LogRecord } from '@cloister/eventlog'
import { describe, expect, it } from 'vitest'
import { fatesOf } from '../src/verdict.ts'
import type { WatchedJob } from '../src/watch.ts'

describe('fatesOf', () => {
  const ended: WatchedJob = {
    id: '7',
    state: 'COMPLETED',
    isMarked: true,
    isHandedBack: false,
    isHeldAfterFailure: false,
    isRefused: false,
    size: '2',
    nodes: Int32Array.of(0, 1),
    waitsSince: undefined,
    atHead: 0,
    isLost: false,
    firstSeen: 1_000_000,
    lastOpen: 1_005_000,
  }
  const start: LogRecord = { seq: 1, t: 0, type: 'allocate', job: '7', nodes: '0-1', links: [], cause: 0 }

  const findings = (job: WatchedJob, log: ReadonlyArray<LogRecord>, kills: ReadonlyArray<number> = []) =>
    fatesOf(log, { jobs: new Map([['7', job]]) }, { submitted: ['7'], touched: new Set() }, kills, 1).findings

  it('finds a job that ran on other nodes than in the log, or that Slurm forgot without a kill of slurmctld', () => {
    expect(findings(ended, [start])).toEqual([])
    const other = 'job 7 (COMPLETED, on 0,1) was neither driven nor handed back'
    expect(findings(ended, [])).toEqual([other])
    expect(findings({ ...ended, nodes: Int32Array.of(2, 3) }, [start])).toHaveLength(1)
    expect(findings({ ...ended, isLost: true }, [start])).toHaveLength(1)
    expect(findings({ ...ended, isLost: true }, [start], [1_006_000])).toEqual([])
  })
})
