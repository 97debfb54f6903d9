import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type LogRecord, resourcesOf } from '@cloister/eventlog'
import { readLogFile } from '@cloister/eventlog/node'
import { SlurmCluster, until, whatIsMissing, whatRestLacks } from '@cloister/slurm-cluster'
import { formatTopologyConf, parseTopology } from '@cloister/topology'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { bundle, Folder } from './cloister.ts'

const topology = parseTopology('radix:4')
const missing = whatIsMissing()
const restLacks = whatRestLacks()

describe.skipIf(missing !== undefined)(
  `watching a real Slurm${missing === undefined ? '' : ` (skipped: ${missing})`}`,
  () => {
    let slurm: SlurmCluster
    const before = { ...process.env }
    beforeAll(async () => {
      slurm = await SlurmCluster.boot(topology.nodes, formatTopologyConf(topology), {
        hasTokens: restLacks === undefined,
      })
      Object.assign(process.env, slurm.environment)
    })
    afterAll(async () => {
      await slurm?.stop()
      for (const name of Object.keys(slurm?.environment ?? {}))
        if (before[name] === undefined) delete process.env[name]
        else process.env[name] = before[name]
    })

    const submit = (nodes: number | string, seconds: number, ...more: ReadonlyArray<string>): string =>
      slurm
        .run('sbatch', [
          '--parsable',
          '-o',
          '/dev/null',
          '-N',
          String(nodes),
          '-t',
          '5',
          ...more,
          '--wrap',
          `sleep ${seconds}`,
        ])
        .trim()
    const show = (): string =>
      slurm.run('squeue', ['-h', '-t', 'all', '-O', 'JobArrayID:|,State:|,StartTime:|,EndTime:|,NodeList:|'])
    const unfinished = (): ReadonlyArray<string> =>
      [...show().matchAll(/^(.*?)\|(?:PENDING|RUNNING|COMPLETING)\|/gm)].map(([, job]) => job)

    it('the log of observe agrees with Slurm about every job, although observe and slurmctld are restarted', async () => {
      const folder = new Folder()
      folder.write('topology.conf', formatTopologyConf(topology))
      const command = /^cloister observe slurm .*$/m.exec(
        readFileSync(join(import.meta.dirname, '../../../docs/clusters.md'), 'utf8'),
      )![0]
      const given = [...command.split(' ').slice(1), '--interval', '0.5']

      const logText = (): string => {
        const path = join(folder.path, 'live.ndjson')
        return existsSync(path) ? readFileSync(path, 'utf8') : ''
      }
      const says = (type: string, job: string): boolean => logText().includes(`"type":"${type}","job":"${job}"`)

      const reservation = 'ReservationName=course Users=root StartTime=now Duration=9 Nodes=node14 Flags=IGNORE_JOBS'
      slurm.run('scontrol', ['create', ...reservation.split(' ')])
      submit(4, 2)
      const long = submit(2, 300)
      const first = new Observer(folder, ...given, '--metrics-port', '0')
      await until('the first query is in the log', () => says('allocate', long))
      const reserved = submit(1, 1, '--reservation=course')
      submit(10, 1)
      const array = submit(3, 1, '--array=1-3')
      const requeued = submit(2, 300)
      await until('it runs in the log', () => says('allocate', requeued))
      slurm.run('scontrol', ['requeue', requeued])
      slurm.run('scontrol', ['update', 'NodeName=node15', 'State=DRAIN', 'Reason=test'])
      await until('it waits in the log', () => says('requeue', requeued))
      await until('a node is down in the log', () => logText().includes('"type":"down"'))
      const [health, metrics] = await Promise.all(
        ['/healthz', '/metrics'].map((path) => fetch(`${first.metricsAddress}${path}`)),
      )
      expect([health.status, await health.text()]).toEqual([200, 'ok\n'])
      const scraped = await metrics.text()
      expect(scraped).toMatch(/^cloister_observe_records [1-9]\d*$/m)
      expect(scraped).toMatch(/^cloister_last_look_timestamp_seconds \d/m)
      await until('the short jobs are over', () => unfinished().every((job) => job === long || job === requeued))
      const held = submit(1, 1, '--hold')
      await slurm.saved(() => slurm.run('scontrol', ['update', `JobId=${held}`, 'JobName=saved']))
      await first.end()
      await slurm.killController()
      const ended = Date.now()
      const second = new Observer(folder, ...given)
      await until('a query fails', () => second.said.includes('the query is repeated until Slurm answers'))
      await until('the time without queries is long enough for a gap', () => Date.now() - ended > 3000)
      slurm.startController()
      slurm.run('scontrol', ['release', held])
      // Cancels the requeued job, because Slurm delays the second run of the job by two minutes, and forgets the nodes
      // of the first run.
      slurm.run('scancel', [long, requeued])
      slurm.run('scontrol', ['delete', 'ReservationName=course'])
      await until('all jobs are over', () => unfinished().length === 0)
      await second.end()
      expect(second.said).toMatch(/live.ndjson has \d+ records, and the command appends to this log/)
      expect(await folder.cloister(...given, '--polls', '1', '--json')).toMatchObject({ code: 0 })

      const log = records(join(folder.path, 'live.ndjson'))
      const runs = lastRuns(log)
      delete runs[requeued]
      expect(runs).toEqual(runsBySlurm(show(), slurm, epochOf(log)))
      expect(log.filter(({ type }) => type === 'gap').length).toBeGreaterThan(0)
      expect(log.filter((record) => record.type === 'requeue' && record.job === requeued)).toHaveLength(1)
      expect(log.flatMap((record) => (record.type === 'down' ? [record.nodes] : []))).toContain('15')
      const inReservation = log.find((record) => record.type === 'submit' && record.job === reserved)
      expect(inReservation).toMatchObject({ advance_reservation: 'course' })
      const task = log.find((record) => record.type === 'submit' && record.job === `${array}_2`)
      expect(task).toMatchObject({ queue: 'all', priority: expect.any(Number), array, array_task: 2 })
      const rerun = await folder.cloister('rerun', 'live.ndjson', '--policy', 'slurm-tree', '--json')
      expect(JSON.parse(rerun.stdout)).toMatchObject({ counts: { refuses: 0 } })
      const audit = await folder.cloister('audit', 'live.ndjson', '--json')
      expect(JSON.parse(audit.stdout)).toMatchObject({
        violations: [],
        checked: { 'node-exclusive': expect.any(Number) },
      })
      const shadow = readFileSync(join(folder.path, 'live.shadow.ndjson'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      const starts = log.filter(({ type }) => type === 'allocate').length
      for (const policy of ['jigsaw', 'laas'])
        expect(
          shadow.filter((line) => line.policy.startsWith(`${policy}@`) && line.decision !== undefined),
        ).toHaveLength(starts)
    })

    it.skipIf(restLacks !== undefined)(
      `slurmrestd gives the same log as the commands of Slurm, by socket and by token${restLacks === undefined ? '' : ` (skipped: ${restLacks})`}`,
      async () => {
        const folder = new Folder()
        folder.write('topology.conf', formatTopologyConf(topology))
        const { socket, address, token } = await slurm.startRest()
        folder.write('token', token)
        const ways: Readonly<Record<string, ReadonlyArray<string>>> = {
          'commands.ndjson': [],
          'socket.ndjson': ['--rest', socket],
          'token.ndjson': ['--rest', address, '--rest-token-file', 'token', '--rest-user', 'root'],
        }
        /** Observes the cluster once by commands and once by slurmrestd, and returns the new records of each log. */
        const look = async (): Promise<ReadonlyArray<unknown>> => {
          const told: Array<unknown> = []
          for (const [out, more] of Object.entries(ways)) {
            const given = ['observe', 'slurm', '--topology', 'slurm:topology.conf', '--out', out, '--polls', '1']
            expect(await folder.cloister(...given, ...more)).toMatchObject({ code: 0 })
            told.push(toldIn(records(join(folder.path, out))))
          }
          return told
        }
        const runs = submit(6, 60)
        const array = submit(12, 60, '--array=4,7')
        submit(1, 60, '--hold')
        const hostile = 'a|b"\'\n=é漢\u202e'
        mkdirSync(join(folder.path, hostile))
        const fields = ['account', 'comment', 'job-name', 'wckey'].map((field) => `--${field}=${hostile}`)
        const named = submit(12, 60, ...fields, `--chdir=${join(folder.path, hostile)}`)
        await until('one runs', () => show().includes(`${runs}|RUNNING`))
        const [first, ...others] = await look()
        expect(others).toEqual([first, first])
        expect(first).toMatchObject({
          submitted: [runs, `${array}_4`, `${array}_7`, named].sort(),
          started: [[runs, expect.any(String)]],
        })
        for (const out of Object.keys(ways)) {
          const submits = records(join(folder.path, out)).filter(({ type }) => type === 'submit')
          expect(submits.filter((record) => 'account' in record)).toMatchObject([{ job: named, account: hostile }])
        }
        slurm.run('scancel', [runs])
        await until('another runs', () => show().includes(`${array}_4|RUNNING`))
        const [second, ...more] = await look()
        expect(more).toEqual([second, second])
        expect(second).toMatchObject({ ended: [[runs, expect.any(Number)]] })
        slurm.run('scancel', [array, named])
      },
    )
  },
)

/** Process of a command `cloister observe slurm` that runs until a signal. */
class Observer {
  readonly #child: ChildProcess
  readonly #exit: Promise<unknown>
  said = ''

  constructor(folder: Folder, ...args: ReadonlyArray<string>) {
    this.#child = spawn(process.execPath, [bundle, ...args], { cwd: folder.path, stdio: ['ignore', 'ignore', 'pipe'] })
    this.#child.stderr!.on('data', (text: Buffer) => (this.said += text.toString()))
    this.#exit = once(this.#child, 'close')
    onTestFinished(() => void this.#child.kill('SIGKILL'))
  }

  /** Address of the HTTP server for metrics, which the process prints at its start. */
  get metricsAddress(): string {
    return /^metrics: (\S+)\/metrics$/m.exec(this.said)![1]
  }

  /** Ends the process by a signal, which must find the process running. */
  async end(): Promise<void> {
    this.#child.kill('SIGTERM')
    expect([await this.#exit, this.said]).toEqual([[null, 'SIGTERM'], this.said])
  }
}

/** Returns the facts about jobs in a log that do not depend on the times of the queries. */
function toldIn(log: ReadonlyArray<LogRecord>): unknown {
  const epoch = epochOf(log)
  const ids = (type: 'submit' | 'cancel'): ReadonlyArray<string> =>
    log.flatMap((record) => (record.type === type ? [record.job] : [])).sort()
  return {
    submitted: ids('submit'),
    left: ids('cancel'),
    started: log.flatMap((record) => (record.type === 'allocate' ? [[record.job, record.nodes]] : [])),
    ended: log.flatMap((record) =>
      record.type === 'release' ? [[record.job, epoch + (record.happened ?? record.t)]] : [],
    ),
    down: log.flatMap((record) => (record.type === 'down' ? [record.nodes] : [])),
  }
}

function records(path: string): ReadonlyArray<LogRecord> {
  return [...readLogFile(path)]
}

/** Returns the last run of each job in a log: start and end in Unix seconds, and nodes. */
function lastRuns(log: ReadonlyArray<LogRecord>): Record<string, unknown> {
  const epoch = epochOf(log)
  const runs: Record<string, { start: number; end: number; nodes: string }> = {}
  for (const record of log) {
    if (record.type !== 'allocate' && record.type !== 'release') continue
    const time = epoch + (record.happened ?? record.t)
    const job = record.job.replace(/\/.*/, '')
    if (record.type === 'allocate') runs[job] = { start: time, end: -1, nodes: resourcesOf(record).nodes.join() }
    else runs[job].end = time
  }
  // The log may have or lack a run that ended by the second of the first query, so such runs are not compared.
  return Object.fromEntries(Object.entries(runs).filter(([, { end }]) => end > epoch))
}

function epochOf([header]: ReadonlyArray<LogRecord>): number {
  return header.type === 'header' ? header.epoch! : 0
}

/** Returns the runs in Slurm's accounting that ended after the start of the log. */
function runsBySlurm(queue: string, slurm: SlurmCluster, epoch: number): Record<string, unknown> {
  return Object.fromEntries(
    queue
      .trim()
      .split('\n')
      .map((line) => line.split('|'))
      .filter(([, , , end, nodes]) => nodes !== '' && seconds(end) > epoch)
      .map(([job, , start, end, nodes]) => [
        job,
        { start: Math.max(epoch, seconds(start)), end: seconds(end), nodes: slurm.nodesIn(nodes).join() },
      ]),
  )
}

function seconds(time: string): number {
  return Date.parse(time) / 1000
}
