import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SlurmCluster, whatAccountingLacks } from '@cloister/slurm-cluster'
import { formatTopologyConf, parseTopology, seededDraws } from '@cloister/topology'
import { Faults } from './faults.ts'
import { controllerArguments, Service, watchdogArguments } from './services.ts'
import { LICENSE, Users } from './users.ts'
import { fatesOf, judge, openJobs, recordsOf } from './verdict.ts'
import { Watch } from './watch.ts'

/** Options of a soak. */
export interface SoakOptions {
  /** Duration without the last part, in which the queue empties. */
  readonly minutes: number
  /** Number of jobs after which the soak ends, even if `minutes` have not passed. Default: no limit. */
  readonly jobs?: number
  readonly seed: number
  readonly jobsAMinute: number
  /** Seconds of calm between two disturbances, at least. Default: 10. */
  readonly calm?: number
  /** Factor on all bounds of times, for a busy machine. Default: 1. */
  readonly slack?: number
  /** Aborted to end disturbances and submissions early. */
  readonly early?: AbortSignal
  /** Called with a line about the progress every minute. */
  readonly onProgress?: (line: string) => void
}

/** Result of a soak: figures, and findings. A sound controller gives no findings. */
export interface SoakReport {
  readonly findings: ReadonlyArray<string>
  readonly minutes: number
  readonly submitted: Readonly<Record<string, number>>
  /** Number of jobs by fate. */
  readonly fates: Readonly<Record<string, number>>
  readonly faults: Readonly<Record<string, number>>
  /** Ends of the controllers and the watchdog by reason. */
  readonly ends: Readonly<Record<string, number>>
  readonly records: number
  readonly gaps: number
  readonly withdrawn: number
  /** Longest wait, longest wait at the head in calm and its bound, and longest recovery, in seconds. */
  readonly longest: Watch['longest'] & { readonly headBound: number }
  readonly looks: Watch['looks']
  /** Folder with the log, the output of the controllers and the log of slurmctld; undefined after a soak without findings. */
  readonly folder: string | undefined
}

/** Longest time in seconds of the last part: all disturbances are over, and all jobs that wait must run. */
const LAST_SECONDS = 600
const docs = join(import.meta.dirname, '../../../docs/clusters.md')

/** Drives a real Slurm of 16 nodes under disturbances, and checks Slurm, the controllers and the log. */
export async function soak(options: SoakOptions): Promise<SoakReport> {
  const topology = parseTopology('radix:4')
  const [, plugin] = /```conf\n(function slurm_job_submit[^`]*)```/.exec(readFileSync(docs, 'utf8'))!
  const hasAccounting = whatAccountingLacks() === undefined
  const slurm = await SlurmCluster.boot(topology.nodes, formatTopologyConf(topology), {
    lines: [
      'JobSubmitPlugins=lua',
      `Licenses=${LICENSE}:99`,
      'SlurmdTimeout=15',
      'KillWait=5',
      // Jobs behind a job that cannot start are started only by the backfill of Slurm.
      'SchedulerParameters=bf_interval=2',
      // Without accounting Slurm must remember all jobs.
      ...(hasAccounting ? [] : ['MinJobAge=36000']),
    ],
    hasAccounting,
    features: ['a', 'b'],
    files: { 'job_submit.lua': plugin.replaceAll('"batch"', '"all"') },
  })
  const folder = mkdtempSync(join(tmpdir(), 'cloister-soak-'))
  const soaking = new Soak(options, folder, slurm, topology)
  try {
    const report = await soaking.run()
    if (report.findings.length === 0) rmSync(folder, { recursive: true })
    else copyFileSync(join(slurm.environment['HOME']!, 'slurmctld.log'), join(folder, 'slurmctld.log'))
    return report
  } finally {
    await soaking.stop()
    await slurm.stop()
  }
}

class Soak {
  readonly #options: SoakOptions
  readonly #folder: string
  readonly #services: ReadonlyArray<Service>
  readonly #users: Users
  readonly #faults: Faults
  readonly #watch: Watch
  readonly #began = Date.now()
  readonly #findings: Array<string> = []
  #isOver = false

  constructor(options: SoakOptions, folder: string, slurm: SlurmCluster, topology: ReturnType<typeof parseTopology>) {
    this.#options = options
    this.#folder = folder
    writeFileSync(join(folder, 'topology.conf'), formatTopologyConf(topology))
    const controllers = ['a', 'b'].map(
      (name) => new Service(`controller-${name}`, folder, slurm, controllerArguments('driven.ndjson')),
    )
    this.#services = [...controllers, new Service('watchdog', folder, slurm, watchdogArguments)]
    this.#users = new Users(slurm, folder, seededDraws(options.seed), topology.nodes)
    this.#faults = new Faults({ slurm, nodes: topology.nodes, folder, controllers }, seededDraws(options.seed + 1))
    this.#watch = new Watch({
      slurm,
      topology,
      controllers,
      faults: this.#faults,
      users: this.#users,
      slack: this.#slack,
    })
  }

  get #slack(): number {
    return this.#options.slack ?? 1
  }

  get #log(): string {
    return join(this.#folder, 'driven.ndjson')
  }

  get #isEnding(): boolean {
    const { early, minutes, jobs = Infinity } = this.#options
    return (
      early?.aborted === true || this.#users.submitted.length >= jobs || Date.now() > this.#began + minutes * 60_000
    )
  }

  async run(): Promise<SoakReport> {
    const watching = this.#watching()
    await Promise.all([this.#submitting(), this.#disturbing()])
    await this.#faults.resume()
    await this.#until('all jobs are over', () => this.#watch.open.length === 0)
    await this.#until('the log knows that all jobs are over', () => openJobs(recordsOf(this.#log)) === 0)
    this.#isOver = true
    await watching
    await this.stop()
    return this.#report()
  }

  async #watching(): Promise<void> {
    let told = Date.now()
    while (!this.#isOver) {
      await this.#watch.next()
      if (Date.now() - told < 60_000) continue
      told = Date.now()
      this.#options.onProgress?.(this.#progress())
    }
  }

  #progress(): string {
    const { jobs, open, longest, findings } = this.#watch
    const minutes = ((Date.now() - this.#began) / 60_000).toFixed(0)
    const faults = [...this.#faults.counts.values()].reduce((sum, each) => sum + each, 0)
    return `${minutes} min: ${jobs.size} jobs, ${open.length} open; ${faults} disturbances; longest wait ${longest.wait.toFixed(0)} s, at the head ${longest.atHead.toFixed(0)} s; ${findings.length} findings ${findings.at(-1) ?? ''}`.trimEnd()
  }

  async #submitting(): Promise<void> {
    const draw = seededDraws(this.#options.seed + 2)
    const acts: Array<Promise<void>> = []
    while (!this.#isEnding) {
      acts.push(this.#users.act())
      // Half to one and a half times the mean.
      await sleep((60_000 / this.#options.jobsAMinute) * (0.5 + draw(1000) / 1000))
    }
    await Promise.all(acts)
  }

  async #disturbing(): Promise<void> {
    const draw = seededDraws(this.#options.seed + 3)
    const { calm = 10 } = this.#options
    for (;;) {
      await sleep(1000 * (calm + draw(calm)))
      while (!this.#watch.isCalm && !this.#isEnding) await sleep(200)
      if (this.#isEnding) return
      await this.#faults.next(this.#watch.active)
    }
  }

  async #until(what: string, holds: () => boolean): Promise<void> {
    for (const end = Date.now() + LAST_SECONDS * 1000; !holds(); await sleep(1000))
      if (Date.now() > end) {
        const open = this.#watch.open.map(({ id, state, isMarked }) => `${id} ${state}${isMarked ? '' : ' unmarked'}`)
        this.#findings.push(
          `after ${LAST_SECONDS} s without disturbances it is not so that ${what}; open jobs: ${open.join(', ')}`,
        )
        return
      }
  }

  /** Ends the controllers and the watchdog. */
  async stop(): Promise<void> {
    this.#isOver = true
    for (const each of this.#services)
      if (!(await each.stop())) this.#findings.push(`${each.name} did not end within 30 s after SIGTERM`)
  }

  async #report(): Promise<SoakReport> {
    const log = recordsOf(this.#log)
    const { fates, findings } = fatesOf(log, this.#watch, this.#users, this.#faults.killsOfSlurm, this.#slack)
    const number = (type: string): number => log.filter((record) => record.type === type).length
    const ends = new Map<string, number>()
    for (const each of this.#services) for (const [how, times] of each.ends) ends.set(how, (ends.get(how) ?? 0) + times)
    const all = [
      ...this.#findings,
      ...this.#watch.findings,
      ...this.#faults.surprises,
      ...this.#services.flatMap(({ surprises }) => surprises),
      ...findings,
      ...(number('fault') > 0 ? ['the log has a fault'] : []),
      ...(await judge(this.#folder, 'audit', ({ violations }) => violations?.length === 0)),
      ...(await judge(this.#folder, 'rerun', ({ equal }) => equal === true)),
    ]
    return {
      findings: all,
      minutes: (Date.now() - this.#began) / 60_000,
      submitted: Object.fromEntries(this.#users.counts),
      fates: Object.fromEntries(fates),
      faults: Object.fromEntries(this.#faults.counts),
      ends: Object.fromEntries(ends),
      records: log.length,
      gaps: number('gap'),
      withdrawn: number('withdraw'),
      longest: { ...this.#watch.longest, headBound: this.#watch.headBound },
      looks: this.#watch.looks,
      folder: all.length === 0 ? undefined : this.#folder,
    }
  }
}
