import { setTimeout as sleep } from 'node:timers/promises'
import { NodeIds } from '@cloister/slurm'
import type { SlurmCluster } from '@cloister/slurm-cluster'
import type { Topology } from '@cloister/topology'
import { ask } from './commands.ts'
import { SECONDS, type Service } from './services.ts'
import type { Faults } from './faults.ts'
import type { Users } from './users.ts'

/** Longest time, in seconds, in which controllers and Slurm must work again after the end of a disturbance. */
const RECOVERY = 90
/**
 * Longest time, in seconds without disturbances, that a job is held at the head of the queue. Reservations by estimates
 * start the head when the running jobs end, unless a job that was handed back waits in Slurm's own queue. The running
 * jobs end after at most the longest estimate (120), and the time in which Slurm ends a job after its estimate (60, and
 * KillWait 5). Slurm may then delay two starts until the controller withdraws the starts (20 each). Polls and commands
 * take the rest (15).
 */
const HEAD_BOUND = 120 + 65 + 2 * SECONDS.startWithin + 15

/** Job as Slurm lists it, and its wait for the controller. */
export interface WatchedJob {
  readonly id: string
  readonly state: string
  readonly isMarked: boolean
  readonly isHandedBack: boolean
  /** True if Slurm itself holds the job after a failed launch. */
  readonly isHeldAfterFailure: boolean
  /** True if Slurm finds no nodes for the request of the job (BadConstraints). */
  readonly isRefused: boolean
  readonly nodes: Int32Array
  /** Time from which the job waits for the controller; undefined while the job does not wait. Unix ms. */
  readonly waitsSince: number | undefined
  readonly size: string
  /** Time at the head of the queue without disturbances, in seconds. */
  readonly atHead: number
  /** True if Slurm stopped listing the job before its end. */
  readonly isLost: boolean
  /** Time of the first look at the job, and of the last look at which the job was not over. Unix ms. */
  readonly firstSeen: number
  readonly lastOpen: number
}

const fields = [
  'JobArrayID',
  'State',
  'PriorityLong',
  'NumNodes',
  'EligibleTime',
  'Dependency',
  'NodeList',
  'Reason',
  'admin_comment',
]

function isOpen(state: string): boolean {
  return /^(PENDING|RUNNING|COMPLETING|CONFIG|SUSP|STOP)/.test(state)
}

/** Looks at Slurm and at the controllers every second, and checks both. */
export class Watch {
  readonly jobs: Map<string, WatchedJob> = new Map()
  readonly findings: Array<string> = []
  /** Number of looks; of looks that Slurm did not answer; of looks at a head; of answers of `/healthz` and `/metrics`. */
  readonly looks = { all: 0, unanswered: 0, head: 0, health: 0, metrics: 0 }
  /** Longest wait of a job; longest wait at the head of the queue without disturbances; longest recovery. Seconds. */
  readonly longest = { wait: 0, atHead: 0, recovery: 0 }
  /** Controller that holds the lease. */
  active: Service
  readonly #slurm: SlurmCluster
  readonly #controllers: ReadonlyArray<Service>
  readonly #faults: Faults
  readonly #users: Users
  readonly #nodeIds: NodeIds
  readonly #recovery: number
  /** Longest time of a job at the head of the queue without disturbances, in seconds. */
  readonly headBound: number
  #last = Date.now()
  /** Time since which something is disturbed, in Unix ms; undefined in calm. */
  #disturbedSince: number | undefined = Date.now()

  constructor(parts: {
    readonly slurm: SlurmCluster
    readonly topology: Topology
    readonly controllers: ReadonlyArray<Service>
    readonly faults: Faults
    readonly users: Users
    /** Factor on the bounds. */
    readonly slack: number
  }) {
    this.#slurm = parts.slurm
    this.#controllers = parts.controllers
    this.#faults = parts.faults
    this.#users = parts.users
    this.#recovery = RECOVERY * parts.slack
    this.headBound = HEAD_BOUND * parts.slack
    this.#nodeIds = new NodeIds(parts.topology)
    this.active = parts.controllers[0]
  }

  get isCalm(): boolean {
    return this.#disturbedSince === undefined
  }

  /** Returns the jobs that are not over. */
  get open(): ReadonlyArray<WatchedJob> {
    return [...this.jobs.values()].filter(({ state, isLost }) => !isLost && isOpen(state))
  }

  /** Looks once, then waits a second. */
  async next(): Promise<void> {
    const options = ['-h', '-r', '-t', 'all', '-O', fields.map((field) => `${field}:|`).join()]
    const [text, health] = await Promise.all([ask(this.#slurm, 'squeue', ...options), this.#health()])
    const now = Date.now()
    this.looks.all++
    if (text === undefined) this.looks.unanswered++
    this.#judgeCalm(text !== undefined && health, now)
    if (text !== undefined) await this.#see(text, now, this.isCalm ? (now - this.#last) / 1000 : 0)
    this.#last = now
    await sleep(1000)
  }

  /** Asks each controller for its health. Returns true if a controller drives the partition. */
  async #health(): Promise<boolean> {
    const answers = await Promise.all(this.#controllers.map((each) => each.health()))
    this.looks.health += answers.filter((answer) => answer !== undefined).length
    const holders = this.#controllers.filter((_, at) => answers[at] === 'ok')
    if (holders.length > 1) {
      // A lease may change its holder between two answers, so the first answer is asked for again.
      const again = await Promise.all(holders.map((each) => each.health()))
      if (again.every((answer) => answer === 'ok')) this.findings.push('two controllers hold the lease')
    }
    if (holders.length === 0) return false
    const [holder] = holders
    this.active = holder
    if (this.looks.all % 5 === 0) await this.#users.resumeDuplicates()
    if (this.looks.all % 5 === 0 && /^cloister_drive_lease_held 1$/m.test((await holder.metrics()) ?? ''))
      this.looks.metrics++
    return true
  }

  #judgeCalm(works: boolean, now: number): void {
    if (this.#faults.isOn) this.#disturbedSince = now
    else if (works && this.#disturbedSince !== undefined) {
      this.longest.recovery = Math.max(this.longest.recovery, (now - this.#disturbedSince) / 1000)
      this.#disturbedSince = undefined
    } else if (!works) this.#disturbedSince ??= now
    if (this.#disturbedSince !== undefined && now - this.#disturbedSince > this.#recovery * 1000) {
      this.findings.push(`controllers or Slurm do not work ${this.#recovery} s after the end of a disturbance`)
      this.#disturbedSince = now
    }
  }

  async #see(text: string, now: number, calm: number): Promise<void> {
    const rows = text.split('\n').filter((line) => line !== '')
    const seen = new Set<string>()
    const usedBy = new Map<number, string>()
    for (const row of rows) {
      const job = this.#watched(row, now)
      if (job === undefined) continue
      seen.add(job.id)
      this.jobs.set(job.id, job)
      if (job.state !== 'RUNNING') continue
      for (const node of job.nodes) {
        if (usedBy.has(node)) this.findings.push(`node${node} runs the jobs ${usedBy.get(node)} and ${job.id}`)
        usedBy.set(node, job.id)
      }
    }
    for (const job of this.open)
      if (!seen.has(job.id)) this.jobs.set(job.id, { ...job, isLost: true, waitsSince: undefined })
    this.#judgeHead(calm)
    if (this.open.some(({ id, isHandedBack }) => !isHandedBack && this.#isUnchangeable(id)))
      void this.#users.restartAccounting()
    for (const { id, isHeldAfterFailure, isHandedBack, isRefused } of this.open) {
      if (isHeldAfterFailure) await this.#users.releaseAfterFailure(id)
      if (isHandedBack && isRefused) await this.#users.cancelRefused(id)
    }
  }

  /** Returns true if a controller reports that Slurm refuses each change of the job. */
  #isUnchangeable(id: string): boolean {
    return this.#controllers.some(({ refused }) => refused.has(id))
  }

  #watched(row: string, now: number): WatchedJob | undefined {
    const [id, state, priority, size, eligible, dependency, nodeList, reason, ...comment] = row.split('|')
    if (comment.length === 0) return undefined
    const mark = comment.join('|').replace(/\|$/, '').trim()
    const before = this.jobs.get(id)
    const isHeldAfterFailure =
      state === 'PENDING' && priority === '0' && /held/i.test(reason) && !/^JobHeld(?:User|Admin)$/.test(reason)
    const isReady =
      state === 'PENDING' &&
      mark !== 'cloister-handed-back' &&
      !isHeldAfterFailure &&
      !this.#isUnchangeable(id) &&
      // Slurm knows no eligible time of a job that was never released.
      (eligible === 'N/A' || Number(eligible) * 1000 <= now) &&
      /^(\(null\))?$/.test(dependency.trim())
    // The controller treats a job with another size as a new job.
    const known = before?.size === size ? before : undefined
    const waitsSince = isReady ? (known?.waitsSince ?? now) : undefined
    if (waitsSince !== undefined) this.longest.wait = Math.max(this.longest.wait, (now - waitsSince) / 1000)
    const found = nodeList === '' || state === 'PENDING' ? undefined : this.#nodeIds.find(nodeList)
    return {
      id,
      state,
      isMarked: mark === 'cloister',
      isHandedBack: mark === 'cloister-handed-back',
      isHeldAfterFailure,
      isRefused: state === 'PENDING' && reason === 'BadConstraints',
      size,
      nodes: found !== undefined && 'nodes' in found ? found.nodes : new Int32Array(0),
      waitsSince,
      atHead: waitsSince === undefined ? 0 : (known?.atHead ?? 0),
      isLost: false,
      firstSeen: before === undefined || before.isLost ? now : before.firstSeen,
      lastOpen: isOpen(state) ? now : (before?.lastOpen ?? now),
    }
  }

  /** Adds calm time to the job that waits longest, unless Slurm has a waiting job that may take the nodes first. */
  #judgeHead(calm: number): void {
    if (this.open.some(({ state, isHandedBack, isRefused }) => state === 'PENDING' && isHandedBack && !isRefused))
      return
    const waiting = [...this.jobs.values()].filter(({ waitsSince }) => waitsSince !== undefined)
    const head = waiting.reduce<WatchedJob | undefined>(
      (first, job) => (first === undefined || job.waitsSince! < first.waitsSince! ? job : first),
      undefined,
    )
    if (head === undefined) return
    if (calm > 0) this.looks.head++
    const atHead = head.atHead + calm
    this.jobs.set(head.id, { ...head, atHead })
    this.longest.atHead = Math.max(this.longest.atHead, atHead)
    if (head.atHead <= this.headBound && atHead > this.headBound)
      this.findings.push(
        `job ${head.id} has been held at the head of the queue for over ${this.headBound} s without disturbances`,
      )
  }
}
