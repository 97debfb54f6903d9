import { performance } from 'node:perf_hooks'
import { outcomeDefect } from '../bind.ts'
import type { Draw } from './draws.ts'
import { addReads, endPlacing, startPlacing } from './reads.ts'
import type { Scene } from './scenes.ts'
import type { Subject } from './subjects.ts'
import type { Outcome, Placement, Placer, Request } from '../contract.ts'
import type { ClusterState } from '../state.ts'

/** Request of a history, with its state and the policy's answer. */
export interface Question {
  readonly subject: Subject
  /** Asker of the placer that answered all earlier requests of the history. */
  readonly asker: Asker
  /** Returns an asker of a new placer of the same policy, topology and config. */
  readonly other: () => Asker
  readonly scene: Scene
  readonly state: ClusterState<any>
  /** Fork of the state from before the request. */
  readonly before: ClusterState<any>
  readonly request: Request
  readonly outcome: Outcome
  /** Random draws for further requests of a property. */
  readonly draw: Draw
}

/** Question as data, to ask it again. `seed` is the seed of `Question.draw`. */
export interface Asked {
  readonly scene: Scene
  readonly request: Request
  readonly seed: number
}

export interface Defect {
  readonly message: string
  /** Last lines of a test of the defect, with variables `placer`, `topology`, `state`, `asked` and `outcome`. */
  readonly test: ReadonlyArray<string>
  /** Scene that shows the defect. Default: the scene of the question. */
  readonly scene?: Scene
  /** Request that shows the defect. Default: the request of the question. */
  readonly request?: Request
}

/** Property of a policy that is tested after each question of a random history. */
export interface Property {
  readonly name: string
  /** Names of prerequisite properties. If one is broken, the result of this property is meaningless. Default: none. */
  readonly standsOn?: ReadonlyArray<string>
  /** Returns true if the claims or the members of the policy demand the property. Default: always demanded. */
  applies?(subject: Subject): boolean
  defect(question: Question): Defect | undefined
  /** True if the property is tested only with jobs of each size on the empty machine. */
  readonly isForSizes?: boolean
  /** True if the property is tested only in random histories. */
  readonly isForHistories?: boolean
  /** True if a history ends when this property is broken. Such properties are prerequisites of all others. */
  readonly isBasis?: boolean
  /** True if `defect` is expensive: on machines of more than 60 nodes, it is called for one in six questions. */
  readonly costs?: boolean
}

/** Error if `place` throws, returns neither a placement nor a refusal, or takes too long. */
export class NoAnswer extends Error {
  readonly question: Pending
  readonly isSlow: boolean
  constructor(message: string, question: Pending, isSlow: boolean, cause?: unknown) {
    super(message, { cause })
    this.question = question
    this.isSlow = isSlow
  }
}

/** Request that was passed to `place`. `since` is the start of the call, in ms of `performance.now`. */
export interface Pending {
  readonly subject: Subject
  readonly scene: Scene
  readonly request: Request
  readonly since: number
}

/** Number of calls of `place`, and their time in ms. */
export class Stopwatch {
  readonly maxPlaceMs: number
  questions = 0
  milliseconds = 0
  slowest = 0
  slowestQuestion: Pending | undefined
  pending: Pending | undefined

  constructor(maxPlaceMs: number) {
    this.maxPlaceMs = maxPlaceMs
  }
}

/** Placement of the policy, and `was`, a copy made right after the call of `place`. */
interface ReturnedPlacement {
  readonly placement: Placement
  readonly was: Placement
}

/** Greatest number of remembered placements. For one question, the properties make fewer further requests than this. */
const REMEMBERED = 12

/** Asks one placer. `ask` returns copies, so that the policy cannot change an answer afterwards. */
export class Asker {
  readonly placer: Placer<any>
  /** Latest placements of the policy, oldest first. */
  readonly returned: Array<ReturnedPlacement> = []
  readonly #subject: Subject
  readonly #stopwatch: Stopwatch

  constructor(subject: Subject, placer: Placer<any>, stopwatch: Stopwatch) {
    this.#subject = subject
    this.placer = placer
    this.#stopwatch = stopwatch
  }

  /** @throws NoAnswer if the placer does not answer the request, or answers too slowly twice */
  ask(state: ClusterState<any>, scene: Scene, request: Request): Outcome {
    const { maxPlaceMs } = this.#stopwatch
    const question = { subject: this.#subject, scene, request, since: 0 }
    const outcome = this.#timed(state, question)
    // A busy computer can make one call slow, so only a second slow call counts.
    if (this.#lastMs > maxPlaceMs) this.#timed(state, question)
    if (this.#lastMs > maxPlaceMs) {
      const message = `place took ${Math.round(this.#lastMs)} ms for the answer, twice; ${maxPlaceMs} ms are allowed (option maxPlaceMs)`
      throw new NoAnswer(message, question, true)
    }
    const defect = outcomeDefect(outcome)
    if (defect !== undefined) throw new NoAnswer(defect, question, false)
    return outcome.ok ? this.#copied(outcome) : outcome
  }

  #copied(placement: Placement): Placement {
    const { nodes, links, ranks } = placement
    const was = {
      ...placement,
      nodes: Array.from(nodes),
      links: links.map((ids) => Array.from(ids)),
      ...(ranks === undefined ? {} : { ranks: Array.from(ranks) }),
    }
    this.returned.push({ placement, was })
    if (this.returned.length > REMEMBERED) this.returned.shift()
    return was
  }

  #lastMs = 0

  #timed(state: ClusterState<any>, question: Pending): Outcome {
    const watch = this.#stopwatch
    const pending = { ...question, since: performance.now() }
    watch.pending = pending
    watch.questions++
    startPlacing()
    try {
      const outcome = this.placer.place(state, question.request, state.index)
      addReads(outcome)
      return outcome
    } catch (error) {
      throw new NoAnswer(`place threw ${describe(error)}`, pending, false, error)
    } finally {
      endPlacing()
      this.#lastMs = performance.now() - pending.since
      watch.milliseconds += this.#lastMs
      watch.pending = undefined
      if (this.#lastMs > watch.slowest) {
        watch.slowest = this.#lastMs
        watch.slowestQuestion = pending
      }
    }
  }
}

export function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}

/**
 * Returns a request for a test: job `a` asks for `nodes` nodes at time 0, without estimate, bandwidth and
 * communication.
 *
 * @param more fields of the request that replace the defaults, such as `{ bandwidth: 500 }`
 */
export function request(nodes: number, more: Partial<Request> = {}): Request {
  return {
    purpose: 'start',
    job: 'a',
    nodes,
    now: 0,
    submitted: 0,
    estimate: undefined,
    bandwidth: undefined,
    communication: undefined,
    ...more,
  }
}

/** Calls `place` of a placer in a state. `asked` is a request, or a number of nodes for `request(asked, more)`. */
export function ask<Index>(
  placer: Placer<Index>,
  state: ClusterState<Index>,
  asked: number | Request,
  more?: Partial<Request>,
): Outcome {
  return placer.place(state, typeof asked === 'number' ? request(asked, more) : asked, state.index)
}
