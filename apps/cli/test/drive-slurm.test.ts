import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type LogRecord, readLog, resourcesOf } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { SlurmCluster, until, whatIsMissing } from '@cloister/slurm-cluster'
import { formatTopologyConf, parseTopology, seededDraws } from '@cloister/topology'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundle, Folder } from './cloister.ts'

/** `CLOISTER_DRIVE=full` is the long form: 128 nodes, 300 jobs, 30 kills of the controller and 5 of slurmctld. */
const isFull = process.env['CLOISTER_DRIVE'] === 'full'
const size = isFull
  ? { machine: 'radix:8', rounds: 5, jobs: 60, largest: 40, kills: 6, pause: 400, longest: 8 }
  : { machine: 'radix:4', rounds: 1, jobs: 20, largest: 8, kills: 2, pause: 150, longest: 2 }
const jobs = size.rounds * size.jobs
/** slurmctld keeps what it knows for good within 5 s: what it is told in the last of them it may forget where it is killed. */
const SLURM_SAVES_MS = 6000
const topology = parseTopology(size.machine)
const missing = whatIsMissing()

/** As docs/clusters.md has it. */
const plugin = /```conf\n(function slurm_job_submit[^`]*)```/.exec(
  readFileSync(join(import.meta.dirname, '../../../docs/clusters.md'), 'utf8'),
)![1]

describe.skipIf(missing !== undefined)(
  `driving a real Slurm${missing === undefined ? '' : ` (skipped: ${missing})`}`,
  () => {
    let slurm: SlurmCluster
    beforeAll(async () => {
      slurm = await SlurmCluster.boot(topology.nodes, formatTopologyConf(topology), {
        lines: ['JobSubmitPlugins=lua', 'MinJobAge=36000'],
        files: { 'job_submit.lua': plugin.replaceAll('"batch"', '"all"') },
      })
    })
    afterAll(() => slurm?.stop())

    it('every job runs once where the log says, whoever is killed meanwhile', async () => {
      const folder = new Folder()
      folder.write('topology.conf', formatTopologyConf(topology))
      const controller = new Controller(folder.path, slurm)
      const draw = seededDraws(isFull ? Date.now() % 1e6 : 7)
      const began = Date.now()
      submit(slurm, 2, 1)
      const said = await controller.say('driven.ndjson', '--dry-run')
      expect(said.stdout).toMatch(/^scontrol update JobId=1 NumNodes=2 ReqNodeList=node\S+\nscontrol release 1\n/)
      expect(existsSync(join(folder.path, 'driven.ndjson'))).toBe(false)
      controller.start()
      await controller.begun()
      const other = controller.beside('other.ndjson', '--lease', 'driven.ndjson.lease')
      await sleep(1500)
      expect(existsSync(join(folder.path, 'other.ndjson'))).toBe(false)
      other.kill('SIGKILL')
      for (let round = 0; round < size.rounds; round++) {
        const killAt = Array.from({ length: size.kills }, () => draw(size.jobs - 5))
        for (let job = round === 0 ? 1 : 0; job < size.jobs - 5; job++) {
          await sleep(draw(size.pause))
          submit(slurm, 1 + draw(draw(4) === 0 ? size.largest : 4), 1 + draw(size.longest))
          for (const at of killAt) if (at === job) await controller.kill(draw(800))
        }
        for (const at of killAt) if (round === 0 && at === 0) await controller.kill(draw(800))
        // One has all nodes, others wait behind it.
        submit(slurm, topology.nodes, 12)
        for (let job = 0; job < 4; job++) submit(slurm, 1 + draw(4), 1)
        await until('it runs', () => show(slurm).includes(`|RUNNING|${topology.nodes}|`))
        await sleep(SLURM_SAVES_MS)
        await slurm.killController()
        await sleep(300)
        slurm.startController()
        await until('Slurm answers', () => slurm.answers())
      }
      await until('all jobs are over', () => !/\|(?:PENDING|RUNNING|COMPLETING|CONFIGURING)\|/.test(show(slurm)))
      const path = join(folder.path, 'driven.ndjson')
      await until('the log knows', () => openJobs(recordsOf(path)) === 0)
      controller.stop()
      const log = recordsOf(path)
      expect(startsByLog(log)).toEqual(startsBySlurm(slurm))
      const audit = await folder.cloister('audit', 'driven.ndjson', '--json')
      expect(JSON.parse(audit.stdout)).toMatchObject({
        violations: [],
        checked: { 'jigsaw-conditions': expect.any(Number) },
      })
      const rerun = await folder.cloister('rerun', 'driven.ndjson', '--json')
      expect(JSON.parse(rerun.stdout)).toMatchObject({ equal: true, compared: log.length })
      expect(log.filter(({ type }) => type === 'gap')).toHaveLength(controller.kills)
      if (isFull) console.log(figures(log, slurm, controller.kills, (Date.now() - began) / 1000))
    })
  },
)

/** The program as it is installed, as a process that is killed and started again. */
class Controller {
  kills = 0
  readonly #folder: string
  readonly #slurm: SlurmCluster
  #process: ChildProcess | undefined

  constructor(folder: string, slurm: SlurmCluster) {
    this.#folder = folder
    this.#slurm = slurm
  }

  #spawn(out: string, more: ReadonlyArray<string>): ChildProcess {
    const command = /^cloister (drive slurm .*)$/m.exec(
      readFileSync(join(import.meta.dirname, '../../../docs/clusters.md'), 'utf8'),
    )![1]
    const quick = ['--interval', '0.3', '--lease-seconds', '20', '--command-seconds', '3']
    const given = command.replace('batch', 'all').replace('driven.ndjson', out).split(' ')
    return spawn(process.execPath, [bundle, ...given, ...quick, ...more], {
      cwd: this.#folder,
      env: this.#slurm.environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  }

  start(): void {
    this.#process = this.#spawn('driven.ndjson', [])
    this.#process.stdout!.resume()
  }

  /** Until it has the lease, and has begun to write. */
  async begun(): Promise<void> {
    const path = join(this.#folder, 'driven.ndjson')
    await until('it drives', () => existsSync(path) && countGaps(path) >= this.kills && recordsOf(path).length > 0)
  }

  async kill(after: number): Promise<void> {
    await this.begun()
    await sleep(after)
    const ended = new Promise((resolve) => this.#process!.once('exit', resolve))
    this.#process!.kill('SIGKILL')
    await ended
    this.kills++
    this.start()
  }

  /** Another one. */
  beside(out: string, ...more: ReadonlyArray<string>): ChildProcess {
    const other = this.#spawn(out, more)
    other.stdout!.resume()
    return other
  }

  /** Runs it once more, to its end. */
  async say(out: string, ...more: ReadonlyArray<string>): Promise<{ readonly stdout: string }> {
    const other = this.#spawn(out, more)
    let stdout = ''
    other.stdout!.on('data', (text) => (stdout += String(text)))
    await new Promise((resolve) => other.once('exit', resolve))
    return { stdout }
  }

  stop(): void {
    this.#process?.kill('SIGKILL')
  }
}

function submit(slurm: SlurmCluster, nodes: number, seconds: number): void {
  const options = ['--parsable', '-o', '/dev/null', '-N', String(nodes), '-t', '1', '--wrap', `sleep ${seconds}`]
  slurm.run('sbatch', options)
}

function show(slurm: SlurmCluster): string {
  return slurm.answers()
    ? slurm.run('squeue', ['-h', '-t', 'all', '-O', 'JobID:|,State:|,NumNodes:|,StartTime:|,NodeList:|'])
    : '|PENDING|'
}

function recordsOf(path: string): ReadonlyArray<LogRecord> {
  const bytes = readFileSync(path)
  return [...readLog([bytes.subarray(0, bytes.lastIndexOf(10) + 1)], sha256)]
}

function countGaps(path: string): number {
  return recordsOf(path).filter(({ type }) => type === 'gap').length
}

/** Jobs that wait or run by the log, or that it does not know of yet. */
function openJobs(log: ReadonlyArray<LogRecord>): number {
  const open = new Set<string>()
  const known = new Set<string>()
  for (const record of log) {
    if (record.type === 'submit') known.add(record.job)
    if (record.type === 'submit' || record.type === 'requeue') open.add(record.job)
    if (record.type === 'release' || record.type === 'cancel' || record.type === 'reject') open.delete(record.job)
  }
  return open.size + jobs - known.size
}

function startsByLog(log: ReadonlyArray<LogRecord>): ReadonlyArray<string> {
  const starts = new Map<number, string>()
  for (const record of log) {
    if (record.type === 'allocate') starts.set(record.seq, `${record.job} on ${resourcesOf(record).nodes.join()}`)
    if (record.type === 'withdraw') starts.delete(record.of)
  }
  return [...starts.values()].sort()
}

interface RunBySlurm {
  readonly job: string
  readonly state: string
  readonly start: number
  readonly nodes: string
}

function runsBySlurm(slurm: SlurmCluster): ReadonlyArray<RunBySlurm> {
  return show(slurm)
    .trim()
    .split('\n')
    .map((line) => line.split('|'))
    .map(([job, state, , start, nodes]) => ({
      job,
      state,
      start: Date.parse(start) / 1000,
      nodes: slurm
        .run('scontrol', ['show', 'hostnames', nodes])
        .trim()
        .split('\n')
        .map((name) => Number(name.slice('node'.length)))
        .sort((a, b) => a - b)
        .join(),
    }))
}

function startsBySlurm(slurm: SlurmCluster): ReadonlyArray<string> {
  const runs = runsBySlurm(slurm)
  expect(runs.filter(({ state }) => state !== 'COMPLETED')).toEqual([])
  return runs.map(({ job, nodes }) => `${job} on ${nodes}`).sort()
}

/** What the closing words of an operator's page are made of. */
function figures(log: ReadonlyArray<LogRecord>, slurm: SlurmCluster, kills: number, seconds: number): string {
  const epoch = log[0].type === 'header' ? log[0].epoch! : 0
  const began = new Map(runsBySlurm(slurm).map(({ job, start }) => [job, start]))
  const waits: Array<number> = []
  let learned = 0
  for (const record of log) {
    if (record.type === 'finish' || record.type === 'submit') learned = epoch + (record.happened ?? record.t)
    if (record.type === 'allocate') waits.push(began.get(record.job)! - learned)
  }
  waits.sort((a, b) => a - b)
  const decisions = log.filter(({ type }) => type === 'allocate' || type === 'reserve').length
  return `${jobs} jobs on ${topology.nodes} nodes in ${seconds.toFixed(0)} s; kills of the controller: ${kills}, of slurmctld: ${size.rounds}; from free to start: median ${waits[waits.length >> 1].toFixed(1)} s, most ${waits.at(-1)!.toFixed(1)} s; ${decisions} decisions, ${log.length} records`
}
