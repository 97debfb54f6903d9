import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type LogRecord, LogState, readLog, resourcesOf } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { opensmFiles } from '@cloister/exports'
import { dModK } from '@cloister/network'
import {
  killed,
  linksOf,
  SimulatedFabric,
  SlurmCluster,
  until,
  whatAccountingLacks,
  whatFabricLacks,
  whatIsMissing,
} from '@cloister/slurm-cluster'
import { formatTopologyConf, parseTopology, seededDraws } from '@cloister/topology'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { bundle, Folder } from './cloister.ts'

/** True for the long form of the test (`CLOISTER_DRIVE=full`): 128 nodes, 300 jobs, 30 kills of the controller. */
const isFull = process.env['CLOISTER_DRIVE'] === 'full'
const size = isFull
  ? { machine: 'radix:8', rounds: 5, jobs: 60, largest: 40, kills: 6, pause: 400, longest: 8 }
  : { machine: 'radix:4', rounds: 1, jobs: 20, largest: 8, kills: 2, pause: 150, longest: 2 }
const jobs = size.rounds * size.jobs
const topology = parseTopology(size.machine)
const missing = whatIsMissing()
/** True if slurmdbd is installed, so that the test compares Slurm's accounting with the log. */
const hasAccounting = isFull && whatAccountingLacks() === undefined
/** True if a fabric can be simulated, so that jobs also get routes on their own links. */
const hasFabric = whatFabricLacks() === undefined

/** Text that Slurm takes in every field that users set: bars, quotes, a line end, `=`, letters and a direction mark. */
const HOSTILE = 'a|b"\'\n=é漢\u202e'
/** Slurm takes commas and line ends in names of licenses and features as separators of names. */
const LICENSE = 'lé|"='
const FEATURE = 'f"=é'

/** Setting of slurm.conf for the plugin that docs/clusters.md demands. */
const plugin = /```conf\n(function slurm_job_submit[^`]*)```/.exec(
  readFileSync(join(import.meta.dirname, '../../../docs/clusters.md'), 'utf8'),
)![1]

describe.skipIf(missing !== undefined)(
  `driving a real Slurm${missing === undefined ? '' : ` (skipped: ${missing})`}`,
  () => {
    let slurm: SlurmCluster
    let fabric: SimulatedFabric | undefined
    beforeAll(async () => {
      slurm = await SlurmCluster.boot(topology.nodes, formatTopologyConf(topology), {
        lines: ['JobSubmitPlugins=lua', 'MinJobAge=36000', `Licenses=${LICENSE}:99`],
        hasAccounting,
        files: { 'job_submit.lua': plugin.replaceAll('"batch"', '"all"') },
      })
      if (hasFabric)
        fabric = await SimulatedFabric.boot(opensmFiles(topology, dModK(topology), []), SimulatedFabric.byFile)
    })
    afterAll(() => Promise.all([slurm?.stop(), fabric?.stop()]))

    it('drive slurm starts every job exactly once, on the nodes in the log, although controller and slurmctld are killed', async () => {
      const folder = new Folder()
      folder.write('topology.conf', formatTopologyConf(topology))
      const controller = new Controller(folder.path, slurm, fabric)
      const draw = seededDraws(isFull ? Date.now() % 1e6 : 7)
      const began = Date.now()
      submit(slurm, 2, 1)
      const said = await controller.say('driven.ndjson', '--dry-run')
      expect(said.stdout).toMatch(/^scontrol update JobId=1 NumNodes=2 ReqNodeList=node\S+\nscontrol release 1\n/)
      expect(existsSync(join(folder.path, 'driven.ndjson'))).toBe(false)
      controller.start()
      await controller.begun()
      const other = controller.beside('other.ndjson', '--lease', 'driven.ndjson.lease')
      const standby = await metricsAddress(other)
      await sleep(1500)
      expect(await get(standby, '/healthz')).toEqual([200, 'standby\n'])
      expect(existsSync(join(folder.path, 'other.ndjson'))).toBe(false)
      await killed(other)
      submit(slurm, 6, 4)
      await until('it runs', () => show(slurm).includes('|RUNNING|6|'))
      await controller.scrapes()
      let traced = 0
      const trace = (): void => {
        if (fabric !== undefined) traced += traceRunning(slurm, join(folder.path, 'driven.ndjson'), fabric)
      }
      trace()
      for (let round = 0; round < size.rounds; round++) {
        const killAt = Array.from({ length: size.kills }, () => draw(size.jobs - 5))
        for (let job = round === 0 ? 2 : 0; job < size.jobs - 5; job++) {
          await sleep(draw(size.pause))
          submit(slurm, 1 + draw(draw(4) === 0 ? size.largest : 4), 1 + draw(size.longest))
          for (const at of killAt) if (at === job) await controller.kill(draw(800))
          if (isFull && job % 8 === 0) trace()
        }
        for (const at of killAt) if (round === 0 && at === 0) await controller.kill(draw(800))
        // The first job allocates all nodes, so that the next jobs wait.
        const whole = submit(slurm, topology.nodes, 20)
        for (let job = 0; job < 4; job++) submit(slurm, 1 + draw(4), 1)
        await until('it runs', () => show(slurm).includes(`|RUNNING|${topology.nodes}|`))
        await slurm.saved(() => slurm.run('scontrol', ['update', `JobId=${whole}`, 'JobName=saved']))
        await slurm.killController()
        await sleep(300)
        slurm.startController()
        await until('Slurm answers', () => slurm.answers())
      }
      await until('all jobs are over', () => !/\|(?:PENDING|RUNNING|COMPLETING|CONFIGURING)\|/.test(show(slurm)))
      const path = join(folder.path, 'driven.ndjson')
      await until('the log knows', () => openJobs(recordsOf(path)) === 0)
      await controller.stop()
      if (fabric !== undefined) expect(traced).toBeGreaterThanOrEqual(topology.nodes === 16 ? 30 : 300)
      const log = recordsOf(path)
      expect(startsByLog(log)).toEqual(startsBySlurm(slurm))
      if (hasAccounting) {
        await until('the accounting knows', () => rowsOfAccounting(slurm).every(({ end }) => !Number.isNaN(end)))
        const rows = rowsOfAccounting(slurm)
        const runs = runsByLog(log)
        const shown = ({ job, nodes, end }: Run): string => `${job} on ${nodes} until ${end}`
        expect(runs.map(shown).sort()).toEqual(rows.map(shown).sort())
        const decided = new Map(runs.map(({ job, start }) => [job, start]))
        expect(rows.filter(({ job, start }) => start + 1 < decided.get(job)!)).toEqual([])
        console.log(`${rows.length} rows of the accounting equal the log: nodes, and ends to the second`)
      }
      const audit = await folder.cloister('audit', 'driven.ndjson', '--json')
      expect(JSON.parse(audit.stdout)).toMatchObject({
        violations: [],
        checked: {
          'jigsaw-conditions': expect.any(Number),
          ...(fabric !== undefined && { 'routes-paired': expect.any(Number), 'routes-inside': expect.any(Number) }),
        },
      })
      const rerun = await folder.cloister('rerun', 'driven.ndjson', '--json')
      expect(JSON.parse(rerun.stdout)).toMatchObject({ equal: true, compared: log.length })
      expect(log.filter(({ type }) => type === 'gap')).toHaveLength(controller.kills)
      if (isFull) console.log(figures(log, slurm, controller.kills, (Date.now() - began) / 1000))
    })

    it('the log of drive slurm has the changes that users and operators make to jobs and nodes, and no job stays held', async () => {
      const folder = new Folder()
      folder.write('topology.conf', formatTopologyConf(topology))
      const path = join(folder.path, 'driven.ndjson')
      const controller = new Controller(folder.path, slurm, fabric)
      const types = (job: string): ReadonlyArray<string> =>
        recordsOf(path).flatMap((record) => ('job' in record && record.job === job ? [record.type] : []))
      const state = (job: string): string => slurm.run('squeue', ['-h', '-t', 'all', '-j', job, '-o', '%T']).trim()
      controller.start()
      await controller.begun()

      if (fabric !== undefined) {
        // A node of the placement drains while the start waits for the switches.
        fabric.manager.kill('SIGSTOP')
        const job = submit(slurm, 2, 1)
        await until('it is placed', () => types(job).includes('allocate'))
        const [node] = stateOf(path).running.get(job)!.nodes
        slurm.run('scontrol', ['update', `NodeName=node${node}`, 'State=DRAIN', 'Reason=test'])
        await until('it is placed anew', () => types(job).filter((type) => type === 'allocate').length === 2)
        expect(state(job)).toBe('PENDING')
        fabric.manager.kill('SIGCONT')
        await until('it is over', () => state(job) === 'COMPLETED')
        expect([...stateOf(path).downNodes.ids()]).toContain(node)
        expect(types(job).filter((type) => type === 'withdraw')).toHaveLength(1)
        slurm.run('scontrol', ['update', `NodeName=node${node}`, 'State=RESUME'])
      }

      const requeued = submit(slurm, 2, 90)
      await until('it runs', () => state(requeued) === 'RUNNING')
      slurm.run('scontrol', ['requeue', requeued])
      await until('the log knows', () => types(requeued).includes('kill'))
      await until('Slurm lets go of it', () => state(requeued) === 'PENDING')
      // Without this update of its begin time, Slurm would delay the requeued job by two minutes.
      slurm.run('scontrol', ['update', `JobId=${requeued}`, 'StartTime=now+2'])
      await until('it runs once more', () => state(requeued) === 'RUNNING')
      expect(types(requeued).filter((type) => type === 'requeue' || type === 'allocate')).toEqual([
        'allocate',
        'requeue',
        'allocate',
      ])

      const whole = submit(slurm, topology.nodes, 1)
      await until('it waits', () => types(whole).includes('reserve'))
      await controller.stop()
      slurm.run('scancel', [requeued, whole])
      const others = [submit(slurm, 2, 1), submit(slurm, 3, 1)]
      const watchdog = controller.watchdog()
      await until('Slurm has started them', () => others.every((job) => state(job) === 'COMPLETED'))
      await killed(watchdog)
      for (const job of others)
        expect(slurm.run('scontrol', ['show', 'job', job])).toContain('AdminComment=cloister-handed-back')
      controller.start()
      await until('the log knows', () => types(whole).includes('cancel') && types(requeued).at(-1) !== 'allocate')
      const last = submit(slurm, topology.nodes, 1)
      await until('it is over', () => state(last) === 'COMPLETED')
      await until('the log knows', () => types(last).includes('release'))
      await controller.stop()
      expect(others.flatMap(types)).toEqual([])
      expect(types(requeued)).toContain('release')
      expect(show(slurm)).not.toMatch(/\|(?:PENDING|RUNNING|CONFIGURING)\|/)
      const audit = await folder.cloister('audit', 'driven.ndjson', '--json')
      expect(JSON.parse(audit.stdout)).toMatchObject({ violations: [] })
      const rerun = await folder.cloister('rerun', 'driven.ndjson', '--json')
      expect(JSON.parse(rerun.stdout)).toMatchObject({ equal: true, compared: recordsOf(path).length })
    })

    it('drive slurm places or hands back jobs with bars, quotes, line ends, = and non-ASCII text in each field of users', async () => {
      const folder = new Folder()
      folder.write('topology.conf', formatTopologyConf(topology))
      const controller = new Controller(folder.path, slurm, fabric)
      for (const [node, feature] of ['a', 'b', FEATURE].entries()) {
        const features = [`AvailableFeatures=${feature}`, `ActiveFeatures=${feature}`]
        slurm.run('scontrol', ['update', `NodeName=node${node}`, ...features])
      }
      // The reservation leaves out the nodes with features, because jobs of this test need these nodes.
      const reserved = ['StartTime=now', 'Duration=10', 'Users=root', 'Nodes=node3', 'Flags=IGNORE_JOBS']
      slurm.run('scontrol', ['create', 'reservation', `ReservationName=${HOSTILE}`, ...reserved])
      const state = (job: string): string => slurm.run('squeue', ['-h', '-t', 'all', '-j', job, '-o', '%T']).trim()
      const showJob = (job: string): string => slurm.run('scontrol', ['show', 'job', job])
      mkdirSync(join(folder.path, HOSTILE))
      controller.start()
      await controller.begun()
      const constraints = ['a|b', FEATURE, `${FEATURE}|a`, `[${FEATURE}|b]`]
      const handedBack = [
        ...constraints.map((constraint) => submit(slurm, 1, 1, `--constraint=${constraint}`)),
        submit(slurm, 1, 1, `--licenses=${LICENSE}:1`),
        submit(slurm, 1, 1, `--reservation=${HOSTILE}`),
      ]
      const account = submit(slurm, 2, 1, `--account=${HOSTILE}`)
      const others = [
        submit(slurm, 1, 1, `--comment=${HOSTILE}`, `--job-name=${HOSTILE}`),
        submit(slurm, 1, 1, `--chdir=${join(folder.path, HOSTILE)}`, `--wckey=${HOSTILE}`, `--mail-user=${HOSTILE}`),
        submit(slurm, 2, 1),
      ]
      const all = [...handedBack, account, ...others]
      await until('all have run', () => all.every((job) => state(job) === 'COMPLETED'))
      slurm.run('scontrol', ['delete', `ReservationName=${HOSTILE}`])
      for (const job of handedBack) expect(showJob(job)).toContain('AdminComment=cloister-handed-back')
      const path = join(folder.path, 'driven.ndjson')
      const submits = recordsOf(path).filter((record) => record.type === 'submit')
      expect(submits).toMatchObject([{ job: account, account: HOSTILE }, ...others.map((job) => ({ job }))])

      await controller.stop()
      const again = submit(slurm, 1, 1, '--constraint=a|b')
      const commented = submit(slurm, 1, 1)
      slurm.run('scontrol', ['update', `JobId=${commented}`, 'AdminComment=cloister|site'])
      const watchdog = controller.watchdog()
      await until('the watchdog hands them back', () => [again, commented].every((job) => state(job) === 'COMPLETED'))
      await killed(watchdog)
      for (const job of [again, commented]) expect(showJob(job)).toContain('AdminComment=cloister-handed-back')
    })

    it('drive slurm kept a job held without a word if a user had reduced NumNodes of the job (BadConstraints)', async () => {
      const folder = new Folder()
      folder.write('topology.conf', formatTopologyConf(topology))
      const controller = new Controller(folder.path, slurm, fabric)
      const state = (job: string): string => slurm.run('squeue', ['-h', '-t', 'all', '-j', job, '-o', '%T|%r']).trim()
      controller.start()
      await controller.begun()
      const whole = submit(slurm, topology.nodes, 30)
      await until('it runs', () => state(whole).startsWith('RUNNING'))
      const job = submit(slurm, 4, 1)
      slurm.run('scontrol', ['update', `JobId=${job}`, 'NumNodes=2-2'])
      slurm.run('scancel', [whole])
      await until('it is handed back', () =>
        slurm.run('scontrol', ['show', 'job', job]).includes('AdminComment=cloister-handed-back'),
      )
      await until('Slurm refuses it', () => state(job) === 'PENDING|BadConstraints')
      const said = new RegExp(`job ${job} is held for the controller and cannot be placed: .*BadConstraints`, 'g')
      expect(controller.said.match(said)).toHaveLength(1)
      const other = submit(slurm, 2, 1)
      await until('the next job is over', () => state(other).startsWith('COMPLETED'))
      slurm.run('scontrol', ['update', `JobId=${job}`, 'NumCPUs=2'])
      await until('Slurm runs it', () => state(job).startsWith('COMPLETED'))
      await controller.stop()
      const audit = await folder.cloister('audit', 'driven.ndjson', '--json')
      expect(JSON.parse(audit.stdout)).toMatchObject({ violations: [] })
    })

    it('drive slurm withdrew the start of a job that was completing on some of its nodes', async () => {
      const folder = new Folder()
      folder.write('topology.conf', formatTopologyConf(topology))
      const controller = new Controller(folder.path, slurm, fabric)
      const state = (job: string): string => slurm.run('squeue', ['-h', '-t', 'all', '-j', job, '-o', '%T|%N']).trim()
      controller.start()
      await controller.begun()
      const job = submit(slurm, 2, 2)
      await until('it runs', () => state(job).startsWith('RUNNING'))
      const [, last] = slurm.nodesIn(state(job).split('|')[1])
      await slurm.killNode(last)
      await until('Slurm cleans up its last node', () => state(job) === `COMPLETING|node${last}`)
      const other = submit(slurm, 1, 1)
      await until('the controller starts another job', () => state(other).startsWith('COMPLETED'))
      // Slurm asks a restarted slurmd again only after a minute, but gives up a node that is down at once.
      slurm.run('scontrol', ['update', `NodeName=node${last}`, 'State=DOWN', 'Reason=test'])
      await until('it is over', () => state(job).startsWith('COMPLETED'))
      slurm.startNode(last)
      const ends = (): ReadonlyArray<string> =>
        recordsOf(join(folder.path, 'driven.ndjson')).flatMap((record) =>
          'job' in record && record.job === job && record.type !== 'route' ? [record.type] : [],
        )
      await until('the log knows', () => ends().includes('release'))
      expect(ends()).toEqual(['submit', 'allocate', 'finish', 'release'])
      await controller.stop()
    })

    it('drive slurm starts jobs as a program places them, and leaves the queue to Slurm if the program hangs', async () => {
      const programs = join(import.meta.dirname, '../../../packages')
      const state = (job: string): string => slurm.run('squeue', ['-h', '-t', 'all', '-j', job, '-o', '%T']).trim()
      const inPython = new Folder()
      inPython.write('topology.conf', formatTopologyConf(topology))
      const kit = `exec:python3 ${programs}/placement/kits/python/first_fit.py`
      const controller = new Controller(inPython.path, slurm, undefined, kit)
      const before = [submit(slurm, topology.nodes, 1), ...[1, 2, 3, 2].map((nodes) => submit(slurm, nodes, 1))]
      controller.start()
      await until('all jobs are over', () => before.every((job) => state(job) === 'COMPLETED'))
      const path = join(inPython.path, 'driven.ndjson')
      const released = (): number => recordsOf(path).filter(({ type }) => type === 'release').length
      await until('the log knows', () => released() === before.length)
      await controller.stop()
      expect(recordsOf(path)[0]).toMatchObject({ policy: { name: 'first-fit' } })
      const audit = await inPython.cloister('audit', 'driven.ndjson', '--json')
      expect(JSON.parse(audit.stdout)).toMatchObject({ violations: [] })

      const folder = new Folder()
      folder.write('topology.conf', formatTopologyConf(topology))
      const hangs = `exec:${process.execPath} ${programs}/run/test/programs/misbehaves.mjs hangs`
      const other = new Controller(folder.path, slurm, undefined, hangs)
      const jobs = [submit(slurm, 1, 1), submit(slurm, 1, 1), submit(slurm, 1, 1)]
      other.start('--policy-timeout', '1')
      await other.ended()
      expect(other.said).toMatch(/gave no answer within 1 s.*the queue of all is left to Slurm/)
      await until('Slurm starts the other jobs', () => jobs.every((job) => state(job) === 'COMPLETED'))
      expect(recordsOf(join(folder.path, 'driven.ndjson')).at(-2)).toMatchObject({ type: 'fault', code: 'time' })
      expect(runningPrograms('misbehaves.mjs')).toEqual([])
    })

    it('drive slurm ended with an error if slurmctld was down at its start', async () => {
      const folder = new Folder()
      folder.write('topology.conf', formatTopologyConf(topology))
      const controller = new Controller(folder.path, slurm, fabric)
      await slurm.killController()
      controller.start()
      await until('it waits', () => controller.said.includes('Slurm is asked again until Slurm answers'))
      slurm.startController()
      await controller.begun()
      expect(controller.said).toContain('Slurm answers again')
    })
  },
)

/** Controller: the built program as a process that the test kills and starts again. */
class Controller {
  kills = 0
  /** Text on the standard errors of the controllers. */
  said = ''
  readonly #folder: string
  readonly #environment: NodeJS.ProcessEnv
  readonly #command: ReadonlyArray<string>
  #process: ChildProcess | undefined
  /** Address of the metrics of the running controller. */
  #address: Promise<string> | undefined

  constructor(folder: string, slurm: SlurmCluster, fabric: SimulatedFabric | undefined, policy = 'jigsaw') {
    this.#folder = folder
    onTestFinished(() => this.stop())
    this.#environment = { ...slurm.environment }
    const docs = readFileSync(join(import.meta.dirname, '../../../docs/clusters.md'), 'utf8')
    const [, plain] = /^cloister (drive slurm .*)$/m.exec(docs)!
    const [, routed] = /^cloister (drive slurm .*--opensm-routes.*)$/m.exec(docs)!
    this.#command = (fabric === undefined ? plain : routed)
      .replace('batch', 'all')
      .replace('/etc/opensm/lfts', `${fabric?.folder}/lfts`)
      .replace('/run/opensm.pid', 'opensm.pid')
      .split(' ')
      .map((word) => (word === 'jigsaw' ? policy : word))
    if (fabric !== undefined) this.#see(fabric)
  }

  /** Writes the fabric's files into the folder, and puts a dump_fts for the fabric into the controller's PATH. */
  #see(fabric: SimulatedFabric): void {
    writeFileSync(join(this.#folder, 'opensm.pid'), `${fabric.manager.pid}\n`)
    writeFileSync(join(this.#folder, 'fabric.txt'), fabric.discover())
    const programs = join(this.#folder, 'programs')
    const { LD_PRELOAD, IBSIM_SOCKNAME, PATH } = fabric.environment
    mkdirSync(programs)
    writeFileSync(
      join(programs, 'dump_fts'),
      `#!/bin/sh\nPATH='${PATH}' IBSIM_SOCKNAME='${IBSIM_SOCKNAME}' LD_PRELOAD='${LD_PRELOAD}' exec dump_fts "$@"\n`,
    )
    chmodSync(join(programs, 'dump_fts'), 0o755)
    this.#environment['PATH'] = `${programs}:${this.#environment['PATH']}`
  }

  #spawn(out: string, more: ReadonlyArray<string>): ChildProcess {
    const quick = ['--interval', '0.3', '--lease-seconds', '20', '--command-seconds', '3', '--metrics-port', '0']
    const given = this.#command.map((each) => (each === 'driven.ndjson' ? out : each))
    const child = spawn(process.execPath, [bundle, ...given, ...quick, ...more], {
      cwd: this.#folder,
      env: this.#environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stderr.on('data', (text: Buffer) => {
      this.said += String(text)
      process.stderr.write(text)
    })
    return child
  }

  start(...more: ReadonlyArray<string>): void {
    this.#process = this.#spawn('driven.ndjson', more)
    this.#address = metricsAddress(this.#process)
    this.#process.stdout!.resume()
  }

  /** Expects the metrics and the health of a controller that has started jobs. */
  async scrapes(): Promise<void> {
    const address = await this.#address!
    expect(await get(address, '/healthz')).toEqual([200, 'ok\n'])
    const value = async (name: string): Promise<number> => {
      const [status, text] = await get(address, '/metrics')
      expect(status).toBe(200)
      const line = text.split('\n').find((each) => each.startsWith(`${name} `))
      expect(line, `${name} in:\n${text}`).not.toBe(undefined)
      return Number(line!.slice(name.length + 1))
    }
    // A start is measured at the next poll.
    while (!(await get(address, '/metrics'))[1].includes('cloister_drive_start_seconds_count')) await sleep(100)
    expect(await value('cloister_drive_decisions')).toBeGreaterThan(1)
    expect(await value('cloister_drive_lease_held')).toBe(1)
    expect(await value('cloister_drive_policy_faults')).toBe(0)
    expect(await value('cloister_drive_held_jobs{older_than_seconds="0"}')).toBeGreaterThanOrEqual(0)
    expect(Date.now() / 1000 - (await value('cloister_last_look_timestamp_seconds'))).toBeLessThan(60)
  }

  /** Waits until the controller has the lease, and has begun to write the log. */
  async begun(): Promise<void> {
    const path = join(this.#folder, 'driven.ndjson')
    await until('it drives', () => existsSync(path) && countGaps(path) >= this.kills && recordsOf(path).length > 0)
  }

  async kill(after: number): Promise<void> {
    await this.begun()
    await sleep(after)
    await killed(this.#process!)
    this.kills++
    this.start()
  }

  /** Starts a second controller beside the first one. */
  beside(out: string, ...more: ReadonlyArray<string>): ChildProcess {
    const other = this.#spawn(out, more)
    other.stdout!.resume()
    return other
  }

  /** Runs the controller once more until its end, and returns the output. */
  async say(out: string, ...more: ReadonlyArray<string>): Promise<{ readonly stdout: string }> {
    const other = this.#spawn(out, more)
    let stdout = ''
    other.stdout!.on('data', (text) => (stdout += String(text)))
    await new Promise((resolve) => other.once('exit', resolve))
    return { stdout }
  }

  /** Waits until the controller ends by itself. */
  async ended(): Promise<void> {
    if (this.#process!.exitCode === null) await new Promise((resolve) => this.#process!.once('exit', resolve))
  }

  /** Kills the controller, and does not start it again. */
  async stop(): Promise<void> {
    if (this.#process !== undefined) await killed(this.#process)
  }

  watchdog(): ChildProcess {
    const watching = ['--lease', 'driven.ndjson.lease', '--after', '1', '--json']
    const given = this.#command
      .slice(0, this.#command.indexOf('--policy'))
      .map((each) => (each === 'slurm' ? 'watchdog' : each))
    return spawn(process.execPath, [bundle, ...given, ...watching], {
      cwd: this.#folder,
      env: this.#environment,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  }
}

/** Returns the ids of the processes with a text in the command line. */
function runningPrograms(text: string): ReadonlyArray<string> {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text)
    } catch {
      return false
    }
  })
}

/** Returns the address of the server for metrics that a controller prints. */
function metricsAddress(child: ChildProcess): Promise<string> {
  let said = ''
  return new Promise((resolve) => {
    child.stderr!.on('data', (text: Buffer) => {
      said += String(text)
      const [, address] = /^metrics: (\S+)\/metrics$/m.exec(said) ?? []
      if (address !== undefined) resolve(address)
    })
  })
}

async function get(address: string, path: string): Promise<readonly [number, string]> {
  const response = await fetch(`${address}${path}`)
  return [response.status, await response.text()]
}

/** Expects each route between nodes of running jobs on the links of the job. Returns the number of traced routes. */
function traceRunning(slurm: SlurmCluster, path: string, fabric: SimulatedFabric): number {
  let traced = 0
  const started = new Set(slurm.run('squeue', ['-h', '-t', 'R', '-o', '%i']).trim().split('\n'))
  for (const { submit: job, nodes, links } of stateOf(path).running.values()) {
    const pairs = Array.from(nodes).flatMap((from) => Array.from(nodes, (to) => [from, to] as const))
    const some = pairs.filter(([from, to]) => from !== to && (isFull ? (from + to) % 3 === 0 : true)).slice(0, 40)
    // A job with a placement that still waits for its routes is left out.
    if (some.length === 0 || !started.has(job.job)) continue
    const ways = fabric.trace(
      `node${nodes[0]}`,
      some.map(([from, to]) => [from + 1, to + 1]),
    )
    // Leaves out a job that has ended meanwhile, because the routes are removed at the end of a job.
    if (!stateOf(path).running.has(job.job)) continue
    const own = links.map((ids) => new Set(Array.from(ids)))
    for (const [at, way] of ways.entries()) {
      const used = linksOf(topology, way)
      expect(way.length, `${some[at].join(' to ')}`).toBe(used.length + 2)
      for (const [level, link] of used)
        expect(own[level]?.has(link), `${some[at].join(' to ')}: ${level}, ${link}`).toBe(true)
      traced++
    }
  }
  return traced
}

function stateOf(path: string): LogState {
  const [header, ...records] = recordsOf(path)
  const state = new LogState(header as ConstructorParameters<typeof LogState>[0])
  for (const record of records) state.apply(record)
  return state
}

function submit(slurm: SlurmCluster, nodes: number, seconds: number, ...more: ReadonlyArray<string>): string {
  const asked = ['-N', String(nodes), '-t', '1', ...more]
  const options = ['--parsable', '-o', '/dev/null', ...asked, '--wrap', `sleep ${seconds}`]
  return slurm.run('sbatch', options).trim()
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

/** Returns the number of jobs that wait or run according to the log, plus the jobs that the log does not have yet. */
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

/** Run of a job on nodes; times in Unix seconds. */
interface Run {
  readonly job: string
  readonly nodes: string
  readonly start: number
  readonly end: number
}

/** Returns the runs of jobs in a log, without withdrawn starts; `start` is the time of the decision. */
function runsByLog(log: ReadonlyArray<LogRecord>): ReadonlyArray<Run> {
  const epoch = log[0].type === 'header' ? log[0].epoch! : 0
  const runs = new Map<number, Run>()
  const last = new Map<string, number>()
  for (const record of log) {
    if (record.type === 'allocate') {
      const nodes = resourcesOf(record).nodes.join()
      runs.set(record.seq, { job: record.job.replace(/\/.*/, ''), nodes, start: epoch + record.t, end: Infinity })
      last.set(record.job, record.seq)
    }
    if (record.type === 'withdraw') runs.delete(record.of)
    if (record.type !== 'finish' && record.type !== 'kill') continue
    const seq = last.get(record.job)!
    runs.set(seq, { ...runs.get(seq)!, end: epoch + (record.happened ?? record.t) })
  }
  return [...runs.values()]
}

function rowsOfAccounting(slurm: SlurmCluster): ReadonlyArray<Run> {
  const fields = ['-o', 'JobID,Start,End,NodeList']
  return slurm
    .run('sacct', ['-a', '-X', '-D', '-P', '-n', '--noconvert', '-S', 'now-1day', '-E', 'now', ...fields])
    .trim()
    .split('\n')
    .map((line) => line.split('|'))
    .map(([job, start, end, list]) => ({
      job,
      nodes: slurm.nodesIn(list).join(),
      start: Date.parse(start) / 1000,
      end: Date.parse(end) / 1000,
    }))
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
      nodes: slurm.nodesIn(nodes).join(),
    }))
}

function startsBySlurm(slurm: SlurmCluster): ReadonlyArray<string> {
  const runs = runsBySlurm(slurm)
  expect(runs.filter(({ state }) => state !== 'COMPLETED')).toEqual([])
  return runs.map(({ job, nodes }) => `${job} on ${nodes}`).sort()
}

/** Returns the figures of a run of the test, for the operator's page docs/clusters.md. */
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
