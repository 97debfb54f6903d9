import { type LogHeader, type LogRecord, readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import type { LiveRules } from '@cloister/kernel'
import { seededDraws } from '@cloister/topology'
import { type JobChange, DrivenLog, Driver } from '../src/index.ts'
import { FabricTables, JobRoutes } from '../src/drive/fabric-tables.ts'
import type { ModelFabric } from './model-fabric.ts'
import { type ModelJob, ModelSlurm } from './model-slurm.ts'

export const EPOCH = 1_700_000_000

/** Longest time of a command, in seconds. */
const COMMAND_SECONDS = 4

/** Thrown at the point at which the controller's process is killed. */
class Killed extends Error {}

/** Disturbances of a run. With a number N the disturbance happens once in N chances on average; with 0 never. */
export interface Weather {
  /** Chance of a kill of the controller at a record or at a change of a job. */
  readonly kills: number
  /** Chance that a change of a job fails, with or without effect in Slurm. */
  readonly failures: number
  /** Chance in a second that somebody cancels, ends, requeues, releases or frees a job. */
  readonly interference: number
  /** Chance in a second that a node is drained or resumed. */
  readonly drains: number
  /** Chance in a second that the wall clock is set back. */
  readonly clock: number
  /** Chance that the subnet manager misses new tables or takes them late, in runs with a fabric. */
  readonly fabric: number
}

/**
 * Run of a controller on a model of Slurm. The controller's process may end at any record and any change; only the log
 * survives.
 */
export class DrivenRun {
  readonly slurm: ModelSlurm
  kills = 0
  /** Bytes of the controller's log so far. */
  bytes: Uint8Array = new Uint8Array(0)
  readonly #rules: LiveRules<unknown>
  readonly #header: LogHeader
  readonly #draw: (below: number) => number
  readonly #weather: Weather
  readonly #waits: boolean
  readonly #fabric: ModelFabric | undefined
  #routes: JobRoutes | undefined
  #driver: Driver | undefined
  #isCalm = false
  #clock = 0
  /** Late commands of a killed controller, with the times at which Slurm gets the commands. */
  #orphans: Array<{ readonly change: JobChange; readonly at: number }> = []
  /** Time from which a new controller continues the log, after the late commands. */
  #settled = 0

  /**
   * @param waits true if a controller waits for the commands of its predecessor
   * @param fabric fabric whose switches get the routes of jobs
   */
  constructor(
    rules: LiveRules<unknown>,
    header: LogHeader,
    seed: number,
    weather: Weather,
    waits: boolean,
    fabric?: ModelFabric,
  ) {
    this.#waits = waits
    this.#fabric = fabric
    this.#rules = rules
    this.#header = header
    this.#draw = seededDraws(seed)
    this.#weather = weather
    this.slurm = new ModelSlurm(rules.topology, EPOCH)
  }

  /**
   * Runs the given seconds with disturbances, then seconds without disturbances until all jobs are over.
   *
   * @returns false if a job is not over 2000 s after the disturbances
   */
  live(seconds: number): boolean {
    for (let second = 0; second < seconds; second++) this.#second()
    this.#isCalm = true
    this.slurm.useless.clear()
    for (let second = 0; second < 2000; second++) {
      if (this.slurm.jobs.every((job) => this.slurm.isOver(job))) {
        this.#control()
        return true
      }
      this.#second()
    }
    return false
  }

  /** Returns the log of the running controller; undefined if no controller runs. */
  get log(): DrivenLog | undefined {
    return this.#driver?.log
  }

  records(): ReadonlyArray<LogRecord> {
    return [...readLog([this.bytes], sha256)]
  }

  #second(): void {
    this.#fabric?.tick(this.slurm.now)
    this.slurm.tick()
    if (!this.#isCalm) this.#outside()
    if (this.#settled > this.slurm.now) this.#landOrphans()
    else if (this.#draw(3) > 0 || this.#isCalm) this.#control()
  }

  #oneIn(times: number): boolean {
    return !this.#isCalm && times > 0 && this.#draw(times) === 0
  }

  #outside(): void {
    const draw = this.#draw
    if (draw(3) === 0) this.#submit()
    if (this.#oneIn(this.#weather.clock)) this.#clock -= 50_000
    if (this.#oneIn(this.#weather.drains)) this.#drain(draw(this.#rules.topology.nodes))
    if (!this.#oneIn(this.#weather.interference)) return
    const job = this.slurm.jobs[draw(this.slurm.jobs.length + 1)]
    if (job !== undefined) this.#meddle(job, 1 + draw(5))
  }

  #submit(): void {
    const draw = this.#draw
    const length = 1 + draw(20)
    const isDriven = draw(8) > 0
    this.slurm.submit(
      {
        size: 1 + (draw(3) === 0 ? draw(12) : draw(4)),
        length,
        limit: Math.max(1, length + draw(12) - 2),
        mark: isDriven ? 'cloister' : '',
        features: draw(15) === 0 ? 'gpu' : '',
        partition: isDriven ? 'batch' : draw(2) === 0 ? 'other' : 'batch',
      },
      isDriven,
    )
  }

  #drain(node: number): void {
    if (!this.slurm.useless.delete(node)) this.slurm.useless.add(node)
  }

  #meddle(job: ModelJob, what: number): void {
    const isOpen = job.state === 'PENDING' || job.state === 'RUNNING'
    if (!isOpen) return
    if (what === 1) this.slurm.end(job, 'CANCELLED')
    else if (what === 2 && job.state === 'RUNNING') this.slurm.end(job, 'FAILED')
    else if (what === 3 && job.state === 'RUNNING') this.slurm.requeue(job)
    else if (what === 4 && job.state === 'PENDING') this.slurm.do({ kind: 'release', id: job.id })
    else if (what === 5 && job.state === 'PENDING' && job.isHeld) this.slurm.do({ kind: 'free', id: job.id })
  }

  /** Lets the controller poll, decide and carry out changes, or kills the controller in between. */
  #control(): void {
    try {
      const observation = {
        now: 0,
        jobs: this.slurm.see(this.#isCalm ? 1000 : 100),
        unread: [],
        useless: [...this.slurm.useless].sort((a, b) => a - b),
      }
      const driver = this.#driver ?? this.#begin()
      const last = Math.round(driver.log.state.t * 1000)
      const now = Math.max(last + 1, (this.slurm.now - EPOCH) * 1000 + 500 + this.#clock)
      if (this.#driver === undefined && driver.log.state.seq > 0) driver.log.goOn(now)
      this.#driver = driver
      const stopped = new Set<string>()
      driver.decide({ ...observation, now })
      const changes = driver.changes({ ...observation, now }, this.#unrouted(driver.log))
      this.#landOrphans()
      for (const change of changes) if (!stopped.has(change.id) && !this.#do(change)) stopped.add(change.id)
    } catch (error) {
      if (!(error instanceof Killed)) throw error
      this.kills++
      this.#driver = undefined
      this.#routes = undefined
      if (this.#waits) this.#settled = this.slurm.now + COMMAND_SECONDS
    }
  }

  /** Installs the routes of the jobs. @returns jobs whose routes the switches do not have yet */
  #unrouted({ state, scheduler }: DrivenLog): ReadonlySet<string> {
    const fabric = this.#fabric
    if (fabric === undefined) return new Set()
    this.#routes ??= new JobRoutes(new FabricTables(fabric.topology, fabric.ports, fabric.dump))
    const own = scheduler.routing!.tables
    if (this.#routes.isChanged(state) && !this.#oneIn(this.#weather.fabric)) {
      const text = [...this.#routes.file(state, own)].join('')
      fabric.install(text, this.slurm.now + (this.#oneIn(this.#weather.fabric) ? 1 + this.#draw(9) : 0))
      if (this.#oneIn(this.#weather.kills)) throw new Killed()
      this.#routes.markSent(state)
    }
    fabric.tick(this.slurm.now)
    this.#routes.see(state, own, fabric.dump)
    return this.#routes.unrouted(state)
  }

  /** Carries out late commands. Only the next poll sees the effects of these commands. */
  #landOrphans(): void {
    for (const { change } of this.#orphans.filter(({ at }) => at <= this.slurm.now)) {
      this.slurm.do(change)
      this.slurm.schedule()
    }
    this.#orphans = this.#orphans.filter(({ at }) => at > this.slurm.now)
  }

  /** Carries out a change. Returns false after a failure, so that the job's further changes are skipped. */
  #do(change: JobChange): boolean {
    if (this.#oneIn(this.#weather.kills)) {
      if (this.#draw(2) === 0) this.#orphans.push({ change, at: this.slurm.now + this.#draw(COMMAND_SECONDS) })
      throw new Killed()
    }
    if (this.#oneIn(this.#weather.failures)) {
      if (this.#draw(2) === 0) this.slurm.do(change)
      return false
    }
    const isDone = this.slurm.do(change)
    if (this.#oneIn(this.#weather.kills)) throw new Killed()
    return isDone
  }

  #begin(): Driver {
    const there = this.bytes.subarray(0, this.bytes.lastIndexOf(10) + 1)
    let at = 0
    const write = (chunk: Uint8Array): void => {
      const known = Math.max(0, Math.min(chunk.length, there.length - at))
      if (Buffer.compare(there.subarray(at, at + known), chunk.subarray(0, known)) !== 0)
        throw new Error(`the existing log is written again with other bytes at byte ${at}`)
      at += chunk.length
      if (known < chunk.length) this.#append(at - chunk.length + known, chunk.subarray(known))
    }
    const records = [...readLog([there], sha256)]
    const log = new DrivenLog(this.#header, this.#rules, write, sha256)
    log.retell(records)
    return new Driver(log, 'batch', 8000)
  }

  #append(length: number, bytes: Uint8Array): void {
    const kept = this.#oneIn(this.#weather.kills) ? this.#draw(bytes.length + 1) : undefined
    this.bytes = Buffer.concat([this.bytes.subarray(0, length), bytes.subarray(0, kept)])
    if (kept !== undefined) throw new Killed()
  }
}
