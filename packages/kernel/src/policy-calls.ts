import type { Json } from '@cloister/eventlog'
import {
  type ClusterState,
  type IndexHooks,
  type Outcome,
  outcomeDefect,
  type Placement,
  placementDefect,
  type Placer,
  type Request,
} from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import { checksumOf } from './id-checksum.ts'
import { type FaultCode, PolicyFaultError } from './policy-fault.ts'
import { TooManyQuestionsError } from './question-limit.ts'
import type { Simulation, TimeLimit } from './simulation.ts'

/** Calls the policy. A breach of the policy's contract becomes a PolicyFaultError with the last request. */
export class PolicyCalls<Index> {
  readonly #name: string
  readonly #placer: Placer<Index>
  readonly #timeLimit: TimeLimit | undefined
  readonly #keepsNotes: boolean
  /** If true, estimates depend on placements, and each placement is checked before an estimate reads it. */
  readonly #estimatesVary: boolean
  readonly #mostQuestions: number
  #questions = 0
  #request: Request | undefined

  constructor(
    { policyName, placer, timeLimit, refusals, mostQuestions = Infinity }: PolicyCode<Index>,
    estimatesVary: boolean,
  ) {
    this.#name = policyName
    this.#placer = placer
    this.#timeLimit = timeLimit
    this.#keepsNotes = refusals
    this.#mostQuestions = mostQuestions
    this.#estimatesVary = estimatesVary
  }

  /**
   * @param isRecorded true if a refusal goes to the log with all its fields
   * @throws PolicyFaultError
   * @throws TooManyQuestionsError
   */
  place(state: ClusterState<Index>, request: Request, isRecorded: boolean = this.#keepsNotes): Outcome {
    if (this.#questions++ >= this.#mostQuestions) throw new TooManyQuestionsError(this.#name, this.#mostQuestions)
    this.#request = request
    let outcome: Outcome
    let defect: string | undefined
    try {
      outcome =
        this.#timeLimit === undefined
          ? this.#placer.place(state, request, state.index)
          : this.#placeInTime(state, request, this.#timeLimit)
      defect = !isRecorded && isRefusal(outcome) ? undefined : outcomeDefect(outcome)
      if (defect === undefined && this.#keepsNotes) defect = noteDefect(outcome)
    } catch (thrown) {
      throw this.#thrown('place', thrown)
    }
    if (defect === undefined) {
      if (this.#estimatesVary && outcome.ok) this.checkPlacement(state.topology, request.job, outcome)
      return outcome
    }
    swallowRejection(outcome)
    throw this.fault('answer', defect)
  }

  /**
   * Returns true if the free nodes, or the policy's own bound `mostNodes`, rule out a placement on `nodes` nodes.
   *
   * @throws PolicyFaultError
   */
  isTooFull(state: ClusterState<Index>, nodes: number): boolean {
    if (nodes > state.freeNodes) return true
    if (this.#placer.mostNodes === undefined) return false
    let most: number
    try {
      most = this.#placer.mostNodes(state, state.index)
    } catch (thrown) {
      throw this.#thrown('mostNodes', thrown)
    }
    if (typeof most === 'number') return nodes > most
    throw this.fault('answer', `mostNodes returned a value of type ${typeof most}; expected a number`)
  }

  /** @throws PolicyFaultError */
  requestKey(request: Request): string | number | undefined {
    if (this.#placer.requestKey === undefined) return request.nodes
    this.#request = request
    let key: string | number | undefined
    try {
      key = this.#placer.requestKey(request)
    } catch (thrown) {
      throw this.#thrown('requestKey', thrown)
    }
    if (key === undefined || typeof key === 'string' || typeof key === 'number') return key
    throw this.fault('answer', `requestKey returned a value of type ${typeof key}; expected a string or a number`)
  }

  /** Functions of the policy's index. Each throws a PolicyFaultError if the policy's function throws. */
  get index(): IndexHooks<Index> | undefined {
    const hooks = this.#placer.index
    if (hooks === undefined) return undefined
    // Explicit parameters are faster than a generic wrapper, and each change and each fork calls these functions.
    return {
      build: (state) => {
        try {
          return hooks.build(state)
        } catch (thrown) {
          throw this.#thrown('index.build', thrown)
        }
      },
      copy: (from, into) => {
        try {
          hooks.copy(from, into)
        } catch (thrown) {
          throw this.#thrown('index.copy', thrown)
        }
      },
      changed: (index, state, leaves, upper) => {
        try {
          hooks.changed(index, state, leaves, upper)
        } catch (thrown) {
          throw this.#thrown('index.changed', thrown)
        }
      },
    }
  }

  /** @throws PolicyFaultError if a node or link does not exist, or if reading the placement throws */
  checkPlacement(topology: Topology, job: string, placement: Placement): number {
    let defect: string | undefined
    try {
      const checksum = checksumOf(topology, placement)
      defect =
        checksum === undefined || placement.ranks !== undefined ? placementDefect(topology, placement) : undefined
      if (defect === undefined && checksum !== undefined) return checksum
    } catch (thrown) {
      defect = `reading the placement threw ${thrownInWords(thrown)}`
    }
    throw this.fault('placement', `gave job ${job} an invalid placement: ${defect}`)
  }

  /** Returns the error for a breach of contract after the last request. */
  fault(code: FaultCode, reason: string, cause?: unknown): PolicyFaultError {
    return new PolicyFaultError({
      policy: this.#name,
      code,
      reason,
      request: this.#request,
      cause,
      recorded: undefined,
    })
  }

  #placeInTime(state: ClusterState<Index>, request: Request, { milliseconds, call }: TimeLimit): Outcome {
    const answered = call(() => this.#placer.place(state, request, state.index))
    if (answered === undefined) throw this.fault('time', `place gave no answer within ${milliseconds / 1000} s`)
    return answered.answer
  }

  #thrown(calling: string, thrown: unknown): PolicyFaultError {
    // The error is already a fault: an index function failed during `place`, or `place` took too long.
    if (thrown instanceof PolicyFaultError) return thrown
    return this.fault('throws', `${calling} threw ${thrownInWords(thrown)}`, thrown)
  }
}

type PolicyCode<Index> = Pick<Simulation<Index>, 'policyName' | 'placer' | 'timeLimit' | 'refusals' | 'mostQuestions'>

/** Returns a request as JSON for a `fault` record; a communication matrix keeps only its name and checksum. */
export function requestAsJson(request: Request): Json {
  return JSON.parse(
    JSON.stringify(request, (key, value) =>
      key === 'bytes' || (typeof value === 'number' && !Number.isFinite(value)) ? undefined : value,
    ),
  )
}

function noteDefect(outcome: Outcome): string | undefined {
  const [field, value] = outcome.ok
    ? (['note', outcome.note] as const)
    : (['nearest', outcome.code === 'no-placement' ? outcome.nearest : undefined] as const)
  if (value === undefined) return undefined
  const text = JSON.stringify(value)
  if (text === undefined) return `place returned a ${field} that is no JSON`
  return isNestedAtMost(MOST_NESTED, JSON.parse(text))
    ? undefined
    : `place returned a ${field} nested more than ${MOST_NESTED} deep`
}

/** Greatest depth of JSON in a log, by SPEC.md of `@cloister/eventlog`. */
const MOST_NESTED = 64

function isNestedAtMost(depth: number, json: Json): boolean {
  return (
    typeof json !== 'object' ||
    json === null ||
    (depth > 0 && Object.values(json).every((inner) => isNestedAtMost(depth - 1, inner)))
  )
}

/** For unrecorded refusals, which are most answers, the code is enough; `outcomeDefect` tests recorded refusals. */
function isRefusal(outcome: Outcome): boolean {
  if (typeof outcome !== 'object' || outcome === null || outcome.ok !== false) return false
  const { code } = outcome
  return code === 'no-placement' || code === 'too-few-nodes' || code === 'search-bound' || code === 'never'
}

const MOST_CHARACTERS = 500

/** A thrown value may be of any type, and reading it may throw. */
function thrownInWords(thrown: unknown): string {
  try {
    const text =
      thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : (JSON.stringify(thrown) ?? String(thrown))
    return text.slice(0, MOST_CHARACTERS).toWellFormed()
  } catch {
    return 'a value that cannot be shown'
  }
}

/** An asynchronous policy returns a Promise. A later rejection of the Promise must not end the process. */
function swallowRejection(outcome: unknown): void {
  if (outcome instanceof Promise) outcome.catch(() => {})
}
