import { seededDraws } from '@cloister/topology'
import { vi } from 'vitest'
import { type FileCalls, FileLease, type Owner, type Taking } from '../src/index.ts'
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

/** Failure of a call, which may have changed the disk. */
interface Failure {
  readonly error: Error
  readonly hasEffect: boolean
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
  readonly #world: World
  readonly #clock: () => number
  /** Start of the goal, or of its first attempt if attempts have failed, in seconds of the process's clock. */
  #since = 0
  #hasFailed = false
  /** Time at which the disk made the newest file of the process, in seconds of the process's clock. */
  #madeAt = 0
  #failure: Failure | undefined

  constructor(world: World, pid: number, host: string) {
    this.owner = { host, pid }
    this.#world = world
    const rate = pid % 2 === 0 ? (world.options.fastClock ?? 1) : 1
    this.#clock = () => pid * 1000 + world.time * rate
    this.lease = new FileLease({
      folder: 'lease',
      seconds: world.options.seconds,
      clock: this.#clock,
      calls: this.#failing(world.files.callsOf(world.draw)),
      owner: this.owner,
      isGone: ({ host: of, pid: who }) => of === host && !world.isAlive(who),
    })
  }

  get waits(): boolean {
    return this.#steps !== undefined
  }

  get isReleasing(): boolean {
    return this.#goal === 'release' && this.#hasFailed
  }

  begin(goal: 'take' | 'renew' | 'release'): void {
    if (!this.#hasFailed || goal !== this.#goal) this.#since = this.#clock()
    this.#hasFailed = false
    this.#goal = goal
    this.#steps = this.lease[goal]()
    this.#go()
  }

  /** Returns calls that fail while `#failure` is set. */
  #failing(calls: FileCalls): FileCalls {
    const failing = Object.entries(calls).map(([name, call]) => [
      name,
      (...given: ReadonlyArray<unknown>): unknown => {
        const failure = this.#failure
        const answer = failure?.hasEffect === false ? undefined : call(...given)
        if (name === 'link') this.#madeAt = this.#clock()
        if (failure !== undefined) throw failure.error
        return answer
      },
    ])
    return Object.fromEntries(failing) as FileCalls
  }

  /** Lets the pending call reach the disk. @param failure error of the call, with or without an effect on the disk */
  land(failure?: Failure): void {
    if (this.#call === undefined || this.#answer !== undefined) return
    this.#failure = failure
    try {
      this.#answer = { value: this.#call() }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error
      this.#answer = { error: error as Error }
    }
    this.#failure = undefined
  }

  /** Gives the process the answer to its call. */
  answer(): void {
    this.land()
    const { value, error } = this.#answer ?? {}
    this.#answer = undefined
    this.#call = undefined
    if (error === undefined) return this.#go(value)
    this.#steps = undefined
    this.#hasFailed = true
  }

  #go(answer?: unknown): void {
    const { done, value } = this.#steps!.next(answer)
    if (done !== true) return void (this.#call = value)
    this.#steps = undefined
    const fault = this.#faultIn(value)
    if (fault !== undefined) this.#world.faults.push(`process ${this.owner.pid} ${fault}`)
  }

  /** Returns the reason why the result of the goal is wrong; undefined if the result is right. */
  #faultIn(result: unknown): string | undefined {
    const time = this.#clock() - this.#since
    const { age, isLost } = this.lease
    const madeFor = this.#clock() - this.#madeAt
    if (!isLost && age < madeFor) return `finds the age ${age}, and has its file for ${madeFor} s`
    switch (this.#goal) {
      case 'renew':
        if (result === true && age > time) return `renewed for ${time} s and finds the age ${age}`
        return result === false && !isLost ? 'lost the lease and does not know' : undefined
      case 'take':
        if ((result as Taking).isTaken)
          return age > time ? `took the lease for ${time} s and finds the age ${age}` : undefined
        if ((result as Taking).by?.pid === this.owner.pid) return 'waits for itself'
        return this.#leaves('did not get the lock')
      default:
        return this.#leaves('gave the lock back')
    }
  }

  #leaves(what: string): string | undefined {
    const isOwn = (text: string): boolean => JSON.parse(text).pid === this.owner.pid
    const hasOwn = this.#world.options.seconds === Infinity && this.#world.files.texts().some(isOwn)
    return hasOwn ? `${what} and leaves a file` : undefined
  }

  /** Ends the process. Its pending call may still reach the disk if the disk is on another host. */
  crash(): void {
    this.isAlive = false
    this.#steps = undefined
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
  /** Wrong results of takings, renewals and releases. */
  readonly faults: Array<string> = []
  /** Chances of events in percent, drawn for each run: some runs have many events of one kind. */
  readonly #chances: Readonly<Record<'time' | 'stop' | 'crash' | 'land' | 'error' | 'same', number>>
  #last: Process | undefined

  constructor(options: ModelOptions) {
    this.options = options
    this.draw = seededDraws(options.seed)
    const upTo = (most: number): number => this.draw(most + 1)
    this.#chances = {
      time: 2 + upTo(14),
      stop: upTo(6),
      crash: upTo(5),
      land: upTo(15),
      error: upTo(9),
      same: upTo(95),
    }
    this.files = new ModelFiles(options.isExclusive ?? true)
    for (let process = 0; process < 3; process++) this.#start()
  }

  isAlive(pid: number): boolean {
    return this.#processes[pid - 1].isAlive
  }

  /** Runs the actions. Returns a message about two holders at one moment or a wrong result; undefined if there is none. */
  run(): string | undefined {
    for (let action = 0; action < ACTIONS; action++) {
      this.#act(action)
      const holders = this.#processes.filter(({ isAlive, lease }) => isAlive && lease.isHeld)
      if (holders.length > 1) return `action ${action}: ${holders.map(({ owner }) => owner.pid).join(' and ')} hold`
      if (this.faults.length > 0) return `action ${action}: ${this.faults[0]}`
      if (holders.length === 1 && holders[0] !== this.#holder) {
        this.#holder = holders[0]
        this.changes++
      }
    }
    return undefined
  }

  /**
   * Ends all disturbances, lets time pass until a new process holds the lease, and changes the holder twice without
   * passing time. Returns a message about a change that does not happen; undefined if all happen.
   */
  settles(): string | undefined {
    const { seconds } = this.options
    this.files.mayBeStale = false
    for (const each of this.#processes) while (each.isAlive && each.waits) each.answer()
    // The lock of a dead process on another host stays.
    if (seconds === Infinity) {
      for (const each of this.#processes) if (each.isAlive) this.#finish(each, 'release')
      this.files.clear()
    }
    const first = this.#start()
    this.#finish(first, 'take')
    for (let look = 0; look < 3 && !first.lease.isHeld; look++) {
      this.time += Math.min(seconds, 31)
      this.#finish(first, 'take')
    }
    if (!first.lease.isHeld) return 'no process ever takes the lease'
    first.crash()
    const second = this.#start(first.owner.host)
    this.#finish(second, 'take')
    if (!second.lease.isHeld) return 'a process does not take the lease after the end of its holder on the same host'
    this.#finish(second, 'release')
    if (this.files.texts().length !== (seconds === Infinity ? 0 : 1))
      return 'a lease that is given back leaves old files'
    const third = this.#start()
    this.#finish(third, 'take')
    if (!third.lease.isHeld) return 'a process does not take a lease that was given back'
    return this.faults[0]
  }

  #finish(process: Process, goal: 'take' | 'release'): void {
    process.begin(goal)
    while (process.waits) process.answer()
  }

  #start(host = `host${this.draw(2)}`): Process {
    const process = new Process(this, this.#processes.length + 1, host)
    this.#processes.push(process)
    return process
  }

  #act(action: number): void {
    const alive = this.#processes.filter(({ isAlive }) => isAlive)
    const awake = alive.filter(({ stoppedUntil }) => stoppedUntil <= action)
    const isSame = this.#last !== undefined && awake.includes(this.#last) && this.draw(100) < this.#chances.same
    const one = isSame ? this.#last! : awake.length === 0 ? alive[0] : awake[this.draw(awake.length)]
    this.#last = one
    const { seconds } = this.options
    switch (this.#event()) {
      case 'time':
        this.time += seconds === Infinity ? 1 : (seconds * this.draw(60)) / 100
        return void vi.setSystemTime(this.draw(1e9))
      case 'stop':
        one.stoppedUntil = action + this.draw(100)
        return
      case 'crash':
        if (seconds === Infinity || this.draw(2) === 0) one.land()
        one.crash()
        this.#start()
        return
      case 'land':
        return one.waits ? one.land() : this.#begin(one)
      case 'error':
        if (!one.waits) return this.#begin(one)
        one.land({ error: errorOf(this.draw(2) === 0 ? 'EIO' : 'ESTALE'), hasEffect: this.draw(2) === 0 })
        return this.draw(2) === 0 ? one.answer() : undefined
      default:
        return one.waits ? one.answer() : this.#begin(one)
    }
  }

  #event(): 'time' | 'stop' | 'crash' | 'land' | 'error' | 'answer' {
    let roll = this.draw(100)
    for (const event of ['time', 'stop', 'crash', 'land', 'error'] as const)
      if ((roll -= this.#chances[event]) < 0) return event
    return 'answer'
  }

  #begin(one: Process): void {
    const isLock = this.options.seconds === Infinity
    // A process repeats a release that failed.
    if (one.isReleasing) one.begin('release')
    else if (one.lease.isLost) one.begin('take')
    else if (this.draw(isLock ? 3 : 8) === 0) one.begin('release')
    // A lock needs no renewal.
    else if (!isLock) one.begin('renew')
  }
}
