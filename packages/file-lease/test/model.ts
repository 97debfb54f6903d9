import { seededDraws } from '@cloister/topology'
import { vi } from 'vitest'
import { FileLease, type Owner } from '../src/index.ts'
import { errorOf, ModelFiles } from './model-files.ts'

/** Number of actions in a run: calls, answers, crashes and passing time. */
const ACTIONS = 200

type Steps = Generator<() => unknown, unknown, unknown>

/** Faults of the file system and of processes that a run of the model may have. */
export interface ModelOptions {
  readonly seed: number
  /** Duration of the lease in seconds; Infinity for a lock. */
  readonly seconds: number
  /** False for a file system on which two processes can make the same file. Default: true. */
  readonly isExclusive?: boolean
  /** Factor on the clocks of every second process. Default: 1. */
  readonly fastClock?: number
}

/** Process of the model with a lease and at most one pending call. */
class Process {
  readonly lease: FileLease
  readonly owner: Owner
  isAlive = true
  /** Action before which the process is stopped, as by SIGSTOP or by a disk that does not answer. */
  stoppedUntil = 0
  #steps: Steps | undefined
  #call: (() => unknown) | undefined
  /** Answer that the file system has given and the process has not received yet. */
  #answer: { readonly value?: unknown; readonly error?: Error } | undefined
  #goal: 'take' | 'renew' | 'release' | undefined

  constructor(world: World, pid: number, host: string) {
    this.owner = { host, pid }
    const rate = pid % 2 === 0 ? (world.options.fastClock ?? 1) : 1
    this.lease = new FileLease({
      folder: 'lease',
      seconds: world.options.seconds,
      clock: () => pid * 1000 + world.time * rate,
      calls: world.files.callsOf(world.draw),
      owner: this.owner,
      isGone: ({ host: of, pid: who }) => of === host && !world.isAlive(who),
    })
  }

  get waits(): boolean {
    return this.#steps !== undefined
  }

  begin(goal: 'take' | 'renew' | 'release'): void {
    this.#goal = goal
    this.#steps = this.lease[goal]()
    this.#go()
  }

  /** Lets the pending call reach the disk. */
  land(): void {
    if (this.#call === undefined || this.#answer !== undefined) return
    try {
      this.#answer = { value: this.#call() }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error
      this.#answer = { error: error as Error }
    }
  }

  /** Gives the process the answer to its call, or an error although the call may not have reached the disk. */
  answer(instead?: Error): void {
    if (instead === undefined) this.land()
    const { value, error } = this.#answer ?? {}
    this.#answer = undefined
    this.#call = undefined
    if (instead !== undefined || error !== undefined) this.#steps = undefined
    else this.#go(value)
  }

  #go(answer?: unknown): void {
    const { done, value } = this.#steps!.next(answer)
    if (done === true) this.#steps = undefined
    else this.#call = value
  }

  /** Ends the process. Its pending call may still reach the disk if the disk is on another host. */
  crash(): void {
    this.isAlive = false
    this.#steps = undefined
  }

  get hasReleased(): boolean {
    return this.#goal === 'release' && this.#steps === undefined
  }
}

/** Several processes that take, renew, lose and give back one lease in an order drawn at random. */
export class World {
  readonly options: ModelOptions
  readonly files: ModelFiles
  /** Seconds of real time. `Date` is set back and forth. */
  time = 0
  readonly draw: (below: number) => number
  readonly #processes: Array<Process> = []
  /** Number of times that another process held the lease than before. */
  changes = 0
  #holder: Process | undefined

  constructor(options: ModelOptions) {
    this.options = options
    this.draw = seededDraws(options.seed)
    this.files = new ModelFiles(options.isExclusive ?? true)
    for (let process = 0; process < 3; process++) this.#start()
  }

  isAlive(pid: number): boolean {
    return this.#processes[pid - 1].isAlive
  }

  /** Runs the actions. Returns a message about two holders at one moment; undefined if there were none. */
  run(): string | undefined {
    for (let action = 0; action < ACTIONS; action++) {
      this.#act(action)
      const holders = this.#processes.filter(({ isAlive, lease }) => isAlive && lease.isHeld)
      if (holders.length > 1) return `action ${action}: ${holders.map(({ owner }) => owner.pid).join(' and ')} hold`
      if (holders.length === 1 && holders[0] !== this.#holder) {
        this.#holder = holders[0]
        this.changes++
      }
    }
    return undefined
  }

  /** Ends all faults, and lets time pass until a process holds the lease. Returns false if no process ever does. */
  settles(): boolean {
    for (const each of this.#processes) if (each.waits && each.isAlive) while (each.waits) each.answer()
    // The lock of a dead process on another host stays.
    this.#processes.forEach(
      (each) => each.isAlive && this.options.seconds === Infinity && this.#finish(each, 'release'),
    )
    if (this.options.seconds === Infinity) this.files.clear()
    for (let round = 0; round < 10; round++) {
      this.#start()
      const last = this.#processes.at(-1)!
      for (let look = 0; look < 4; look++) {
        this.#finish(last, 'take')
        if (last.lease.isHeld) return true
        this.time += Math.min(this.options.seconds, 100)
      }
    }
    return false
  }

  #finish(process: Process, goal: 'take' | 'release'): void {
    process.begin(goal)
    while (process.waits) process.answer()
  }

  #start(): void {
    const pid = this.#processes.length + 1
    this.#processes.push(new Process(this, pid, `host${this.draw(2)}`))
  }

  #act(action: number): void {
    const alive = this.#processes.filter(({ isAlive }) => isAlive)
    const awake = alive.filter(({ stoppedUntil }) => stoppedUntil <= action)
    const one = awake.length === 0 ? alive[0] : awake[this.draw(awake.length)]
    const roll = this.draw(100)
    const { seconds } = this.options
    if (roll < 8) {
      this.time += seconds === Infinity ? 1 : (seconds * this.draw(60)) / 100
      vi.setSystemTime(this.draw(1e9))
    } else if (roll < 11) one.stoppedUntil = action + this.draw(100)
    else if (roll < 13) {
      if (this.options.seconds === Infinity || this.draw(2) === 0) one.land()
      one.crash()
      this.#start()
    } else if (!one.waits) this.#begin(one, roll)
    else if (roll < 22) one.land()
    else if (roll < 26) {
      if (this.draw(2) === 0) one.land()
      one.answer(errorOf(this.draw(2) === 0 ? 'EIO' : 'ESTALE'))
    } else one.answer()
  }

  #begin(one: Process, roll: number): void {
    if (one.hasReleased) return
    if (one.lease.isLost) one.begin('take')
    else one.begin(roll < 90 ? 'renew' : 'release')
  }
}
