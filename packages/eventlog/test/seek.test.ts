import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { type Header, LogIndex, LogIndexBuilder, type LogRecord, LogSeeker, LogState } from '../src/index.ts'
import { createLogFile, indexPath, openSeekableLog, seekInLog, sha256 } from '../src/node/index.ts'
import { chance, tellLegalHistory } from './legal-history.ts'
import { type Reading, read } from './reading.ts'
import { anyTopology, sampleHeader, topologies, writeLog } from './sample-logs.ts'

function fold(records: ReadonlyArray<LogRecord>, seq: number): LogState {
  const state = new LogState(records[0] as Header)
  for (const record of records.slice(1, seq + 1)) state.apply(record)
  return state
}

/** Returns the visible content of a state. */
function visible(state: LogState): unknown {
  const { nodes, levels } = state.topology
  return {
    seq: state.seq,
    t: state.t,
    ended: state.ended,
    waiting: [...state.waiting],
    running: [...state.running],
    reservations: [...state.reservations],
    routes: [...state.routes],
    killed: [...state.killed],
    downRails: state.downRails,
    down: [state.downNodes, ...state.downLinks].map((ids) => [...ids].toSorted((a, b) => a - b)),
    free: [...state.freeNodes].toSorted((a, b) => a - b),
    owners: Array.from({ length: nodes }, (_, node) => state.nodeOwner(node)?.allocate.seq),
    links: levels.map(({ links }, level) =>
      Array.from({ length: links }, (_, link) => [
        state.linkOwner(level, link)?.allocate.seq,
        state.bandwidthInUse(level, link),
      ]),
    ),
  }
}

/** Returns a seeker for a log. @param isKept true for an index that was kept in a file, without snapshots */
function seekerOf(bytes: Uint8Array, { records, outcome }: Reading, isKept: boolean = true): LogSeeker {
  const builder = new LogIndexBuilder()
  for (const record of records) builder.add(record)
  const made = builder.index(outcome)
  const index = isKept ? LogIndex.decode(made.encode())! : made
  return new LogSeeker(index, (from, to) => bytes.subarray(from, to), sha256)
}

describe('LogIndexBuilder', () => {
  it('the size of a LogIndex grows only with the log, for any content of the states', () => {
    const lengthFor = (jobs: number): number => {
      const bytes = writeLog(sampleHeader({ seal_every: 2 }, 'shared'), topologies[0], [
        (to) => {
          for (let i = 0; i < jobs; i++) {
            const job = `${i}`
            const cause = to.record({ type: 'submit', t: 0, job, size: 1, estimate: 60_000 })
            const killed = to.record({
              type: 'kill',
              t: 0,
              job,
              code: 'estimate',
              cause: to.record({ type: 'allocate', t: 0, job, nodes: [0], cause }),
            })
            to.record({ type: 'release', t: 0, job, cause: killed })
          }
          return 0
        },
      ])
      const { records, outcome } = read(bytes)
      const builder = new LogIndexBuilder()
      for (const record of records) builder.add(record)
      return builder.index(outcome).encode().length / bytes.length
    }
    expect(lengthFor(3200)).toBeLessThan(1.25 * lengthFor(400))
  })

  it('a LogIndex stays unchanged while the LogIndexBuilder adds records', () => {
    fc.assert(
      fc.property(anyTopology, fc.boolean(), chance, (topology, capped, next) => {
        const header = sampleHeader({ seal_every: 2 + next(4) }, capped ? 'capped' : 'owned')
        const bytes = writeLog(header, topology, [
          (to) => (tellLegalHistory(to, topology, capped, 60 + next(300), next), 0),
        ])
        const { records } = read(bytes)
        const builder = new LogIndexBuilder()
        const early = records.flatMap((record, at) => {
          builder.add(record)
          const soFar = { records: at + 1, sealed: at + 1, bytes: 0 }
          return next(20) === 0 ? [builder.index({ status: 'unsealed', ...soFar })] : []
        })
        for (const index of early) {
          const known = records.slice(0, index.records)
          expect(index.submits).toEqual(known.filter(({ type }) => type === 'submit'))
          expect(index.lastTime).toBe((known.at(-1) as { readonly t?: number }).t ?? 0)
          expect(index.firstSeq(index.segments - 1)).toBeLessThan(index.records)
          const state = index.stateBefore(next(index.records))
          expect(visible(state)).toEqual(visible(fold(records, state.seq)))
          for (const record of known.slice(state.seq + 1)) state.apply(record)
          expect(visible(state)).toEqual(visible(fold(records, index.records - 1)))
        }
      }),
      { numRuns: 100 },
    )
  })
})

describe('LogSeeker', () => {
  it('LogSeeker finds the state after any record of any history, also in a log that was cut off', () => {
    fc.assert(
      fc.property(
        anyTopology,
        fc.boolean(),
        chance,
        fc.array(fc.nat(), { minLength: 3, maxLength: 6 }),
        (topology, capped, next, wanted) => {
          const header = sampleHeader({ seal_every: 2 + next(4) }, capped ? 'capped' : 'owned')
          const whole = writeLog(header, topology, [
            (to) => (tellLegalHistory(to, topology, capped, 60 + next(300), next), 0),
          ])
          const text = Buffer.from(whole).toString('latin1')
          const bytes = next(3) === 0 ? whole.subarray(0, text.indexOf('\n', next(text.length)) + 1) : whole
          const reading = read(bytes)
          const seeker = seekerOf(bytes, reading, next(2) === 0)
          expect(seeker.index.records).toBe(reading.records.length)
          for (const some of wanted) {
            const seq = some % reading.records.length
            expect(visible(seeker.stateAt(seq))).toEqual(visible(fold(reading.records, seq)))
            const stepped = seeker.stateAt(seq)
            const { t } = stepped
            const last = reading.records.findLast((record) => !('t' in record) || record.t <= t)!
            expect(seeker.seqAt(t)).toBe(last.seq)
            expect(seeker.seqAt(t - 0.0005)).toBe(
              reading.records.findLast((record) => !('t' in record) || record.t < t)!.seq,
            )
            const to = seq + 1 + next(40)
            expect([...seeker.records(seq, to)]).toEqual(reading.records.slice(seq, to))
            for (const record of reading.records.slice(seq + 1, to)) stepped.apply(record)
            expect(visible(stepped)).toEqual(visible(fold(reading.records, stepped.seq)))
            for (const record of reading.records)
              if (record.type === 'submit')
                expect(stepped.waiting.has(record.job)).toBe([...stepped.waiting.keys()].includes(record.job))
            expect(stepped.waiting.size).toBe([...stepped.waiting.values()].length)
          }
        },
      ),
      { numRuns: 100 },
    )
  })

  it('LogSeeker refuses seqs beyond the log', () => {
    const bytes = writeLog(
      sampleHeader({ seal_every: 5 }),
      topologies[0],
      Array.from({ length: 20 }, (_, at) => (to) => to.record({ type: 'submit', t: 0, job: `job${at}`, size: 1 })),
    )
    const seeker = seekerOf(bytes, read(bytes))
    expect(() => seeker.stateAt(seeker.index.records)).toThrow(
      `found record ${seeker.index.records}, expected 0 to ${seeker.index.records - 1}`,
    )
    expect(() => seeker.stateAt(-1)).toThrow(RangeError)
  })

  it('LogSeeker notices that the log has changed since the index was made', () => {
    const bytes = writeLog(
      sampleHeader({ seal_every: 5 }),
      topologies[0],
      Array.from({ length: 20 }, (_, at) => (to) => to.record({ type: 'submit', t: 0, job: `job${at}`, size: 1 })),
    )
    const reading = read(bytes)
    const changed = Buffer.from(Buffer.from(bytes).toString('latin1').replace('job3', 'jobX'), 'latin1')
    expect(() => seekerOf(changed, reading).stateAt(5)).toThrow('differ from the indexed bytes')
  })
})

describe('a log file opened for seeking', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cloister-seek-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const bytes = writeLog(
    sampleHeader({ seal_every: 16 }),
    topologies[0],
    Array.from({ length: 2000 }, (_, at) => (to) => to.record({ type: 'submit', t: at, job: `job${at}`, size: 1 })),
  )
  const reading = read(bytes)
  const write = (name: string, content: Uint8Array = bytes): string => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const writeFrames = (name: string): string => {
    const path = join(folder, name)
    const file = createLogFile(path, { force: true })
    for (let at = 0; at < bytes.length; at += 5000) file.write(bytes.subarray(at, at + 5000))
    file.close()
    return path
  }
  const check = (path: string, indexed: string, records = reading.records): void => {
    const log = openSeekableLog(path, { keepIndex: true })
    expect(log.indexed).toBe(indexed)
    for (const seq of [0, 1, 16, 17, 1000, records.length - 1])
      expect(visible(log.stateAt(seq))).toEqual(visible(fold(records, seq)))
    log.close()
  }

  it.each(['plain.ndjson', 'frames.ndjson.zst'])(
    'openSeekableLog writes an index file beside the log, and uses the file again: %s',
    (name) => {
      const path = name.endsWith('.zst') ? writeFrames(name) : write(name)
      check(path, 'made')
      expect(statSync(indexPath(path)).size).toBeLessThan(bytes.length)
      check(path, 'found')
    },
  )

  it.each([
    [
      'damaged',
      (index: Buffer) => Buffer.concat([index.subarray(0, 200), Buffer.from([index[200] ^ 1]), index.subarray(201)]),
    ],
    ['cut off', (index: Buffer) => index.subarray(0, 100)],
    ['empty', () => Buffer.alloc(0)],
    ['a JSON text without an index', () => Buffer.from('{}')],
  ] as const)('openSeekableLog makes the index file again if the existing index file is %s', (what, spoil) => {
    const path = write(`${what}.ndjson`)
    check(path, 'made')
    writeFileSync(indexPath(path), spoil(readFileSync(indexPath(path))))
    check(path, 'made')
    check(path, 'found')
  })

  /** Returns the content of an index file, and a function that writes other content with the right checksum. */
  const forgery = (path: string) => {
    const [, identity, index] = zstdDecompressSync(readFileSync(indexPath(path)))
      .toString('latin1')
      .split('\n')
    const forge = (identityToo: object, indexToo: object): void => {
      const rest = `${JSON.stringify({ ...JSON.parse(identity), ...identityToo })}\n${JSON.stringify({ ...JSON.parse(index), ...indexToo })}`
      const checksum = createHash('sha256').update(rest, 'latin1').digest('hex')
      writeFileSync(indexPath(path), zstdCompressSync(Buffer.from(`${checksum}\n${rest}`, 'latin1')))
    }
    return { identity: JSON.parse(identity) as object, index: JSON.parse(index) as Record<string, any>, forge }
  }
  /** Returns a run in which jobs run, wait, have reservations and fail. */
  const history = (name: string): { readonly path: string; readonly whole: Reading } => {
    let drawn = 7
    const next = (below: number): number => {
      drawn = (Math.imul(drawn, 1103515245) + 12345) & 0x7fffffff
      return below === 0 ? 0 : (drawn >> 8) % below
    }
    const log = writeLog(sampleHeader({ seal_every: 8 }), topologies[1], [
      (to) => (tellLegalHistory(to, topologies[1], false, 900, next), 0),
    ])
    const path = write(name, log)
    openSeekableLog(path, { keepIndex: true }).close()
    return { path, whole: read(log) }
  }
  const expectStates = (path: string, { records, outcome }: Reading): ReadonlyArray<string> => {
    const said: string[] = []
    const seqs = [0, 1, 17, 300, records.length - 1]
    const found = seekInLog(
      path,
      (log) => ({
        header: log.index.header,
        outcome: log.outcome,
        states: seqs.map((seq) => visible(log.stateAt(seq))),
        times: seqs.map((seq) => log.seqAt(seq)),
        all: [...log.records(0, Infinity)].length,
      }),
      (remark) => said.push(remark),
    )
    expect(found).toEqual({
      header: records[0],
      outcome,
      states: seqs.map((seq) => visible(fold(records, seq))),
      times: seqs.map((t) => records.findLast((record) => !('t' in record) || record.t <= t)!.seq),
      all: records.length,
    })
    return said
  }

  it('seekInLog makes an index file again with a remark if a member of the index is nonsense', () => {
    const { path, whole } = history('forged.ndjson')
    const { index, forge } = forgery(path)
    let said = 0
    for (const part of Object.keys(index)) {
      for (const nonsense of [null, 7, 'x', [], {}, [-1], [{}], [{ seq: 8, running: [0, 0, 0] }], [[]], undefined]) {
        if (JSON.stringify(nonsense) === JSON.stringify(index[part])) continue
        forge({}, { [part]: nonsense })
        // An empty list is no nonsense if no state needs the list.
        for (const remark of expectStates(path, whole)) {
          expect(remark).toContain('forged.ndjson.index')
          said++
        }
      }
    }
    for (const frames of [7, [{}], [{ from: 0, to: 1, start: 0 }], [{ from: 9, to: 1, start: -1 }]]) {
      forge({ frames }, {})
      expect(expectStates(path, whole).length).toBe(1)
    }
    expect(said).toBeGreaterThan(80)
  })

  it.each<[string, (index: Record<string, any>) => object]>([
    ['another policy', ({ header }) => ({ header: { ...header, policy: { ...header.policy, name: 'other' } } })],
    [
      'a log that is not whole, in place of a whole log',
      ({ outcome }) => ({ outcome: { ...outcome, status: 'unsealed' } }),
    ],
    ['more records', ({ outcome }) => ({ outcome: { ...outcome, records: outcome.records + 1 } })],
    ['other times', ({ times }) => ({ times: times.map((t: number) => t + 1000) })],
    [
      'other positions of segments',
      ({ ends }) => ({ ends: ends.map((end: number, at: number) => (at % 2 === 0 ? end + 7 : end)) }),
    ],
  ])('seekInLog makes an index file again with a remark if the index has %s', (_, change) => {
    const { path, whole } = history('told.ndjson')
    const { index, forge } = forgery(path)
    forge({}, change(index))
    const [said] = expectStates(path, whole)
    expect(said).toMatch(/told\.ndjson\.index (was not used|does not fit the log beside it)/)
    expect(expectStates(path, whole)).toEqual([])
  })

  it('seekInLog takes no state from an index file, because no seal covers the queue of a state', () => {
    const { path, whole } = history('queue.ndjson')
    const { index, forge } = forgery(path)
    const submits = whole.records.filter(({ type }) => type === 'submit')
    const reserve = whole.records.find(({ type }) => type === 'reserve')!
    const none = { running: [], progress: [], routes: [], killed: [], down: ['', '', ''] }
    const snapshots = (index['seals'] as number[]).slice(0, -1).map((seq) => {
      const { t, ended } = fold(whole.records, seq)
      return { seq, t, ended, ...none, reservations: seq > reserve.seq ? [reserve.seq] : [] }
    })
    forge({}, { snapshots, submits, left: submits.map(() => 0), returns: [], snapshotRecords: [reserve] })
    expect(expectStates(path, whole)).toEqual([])
  })

  it('seekInLog refuses a broken seal in the log even if the index file has the right hash', () => {
    const { path } = history('broken.ndjson')
    const { forge } = forgery(path)
    const log = readFileSync(path)
    const at = log.indexOf(',"hash":"', log.length / 2) + 12
    log[at] = log[at] === 65 ? 66 : 65
    writeFileSync(path, log)
    forge({ sha256: createHash('sha256').update(log).digest('hex') }, {})
    const replayed = () =>
      seekInLog(
        path,
        (found) => found.stateAt(found.index.records - 1),
        () => {},
      )
    expect(replayed).toThrow(/is corrupt at byte \d+, line \d+/)
  })

  it.each(['changed.ndjson', 'changed.ndjson.zst'])(
    'openSeekableLog notices any byte of the log that changed since the index file was made: %s',
    (name) => {
      const path = name.endsWith('.zst') ? writeFrames(name) : write(name)
      const whole = readFileSync(path)
      check(path, 'made')
      for (const at of [5, Math.floor(whole.length / 2), whole.length - 5000]) {
        const changed = Buffer.from(whole)
        changed[at] ^= 1
        writeFileSync(path, changed)
        expect(() => openSeekableLog(path)).toThrow(/is corrupt at byte \d+, line \d+/)
      }
      writeFileSync(path, whole)
      check(path, 'found')
    },
  )

  it('openSeekableLog ignores a pipe in the place of an index file, refuses a pipe in the place of a log, and does not hang', () => {
    const path = write('piped.ndjson')
    const { status } = spawnSync('mkfifo', [indexPath(path), join(folder, 'pipe.ndjson')])
    if (status !== 0) return
    const said: string[] = []
    seekInLog(
      path,
      () => 0,
      (remark) => said.push(remark),
    )
    expect(said.join()).toContain('a pipe or device cannot be read more than once')
    check(path, 'found')
    expect(() => openSeekableLog(join(folder, 'pipe.ndjson'))).toThrow('a pipe or device cannot be read more than once')
  })

  it('openSeekableLog makes an index file again when the log has grown', () => {
    const path = write('grown.ndjson', bytes.subarray(0, 40_000))
    openSeekableLog(path, { keepIndex: true }).close()
    writeFileSync(path, bytes)
    check(path, 'made')
  })

  it('openSeekableLog keeps the index in memory for small logs, and if the index file cannot be written', () => {
    const path = write('blocked.ndjson')
    mkdirSync(indexPath(path))
    check(path, 'in memory')
    const small = openSeekableLog(write('small.ndjson'))
    expect(small.indexed).toBe('in memory')
    small.close()
    expect(existsSync(indexPath(join(folder, 'small.ndjson')))).toBe(false)
  })

  it('openSeekableLog gives the reason if a log cannot be indexed', () => {
    expect(() =>
      openSeekableLog(
        write('corrupt.ndjson', Buffer.from(Buffer.from(bytes).toString('latin1').replace('job3', 'jobX'), 'latin1')),
      ),
    ).toThrow(/corrupt at byte \d+, line \d+/)
    expect(() => openSeekableLog(write('empty.ndjson', new Uint8Array()))).toThrow('holds no record')
    expect(() => openSeekableLog(join(folder, 'none.ndjson'))).toThrow('none.ndjson')
  })
})
