import type { Json } from '@cloister/eventlog'
import {
  type Allocation,
  checksumOfMasks,
  type ClusterState,
  FromMasks,
  type IndexHooks,
  maskWords,
  type Outcome,
  outcomeDefect,
  type Placement,
  placementDefect,
  type Request,
  type Resources,
  withIds,
} from '@cloister/placement'
import { formatIdset, type Topology } from '@cloister/topology'
import {
  describedFault,
  type FaultCode,
  PolicyFaultError,
  thrownInWords,
  TooManyQuestionsError,
} from './policy-fault.ts'
import type { PolicyCode } from './setup.ts'
import { grown } from './waiting-jobs.ts'

/**
 * The policy as the scheduler calls it. A breach of the policy's contract becomes a PolicyFaultError with the last
 * request: an exception, an answer without a valid form, a placement that does not exist or is not free, an answer
 * that the policy changed afterwards, or no answer in time.
 */
export class GuardedPolicy<Index> {
  readonly #topology: Topology
  readonly #words: ReturnType<typeof maskWords>
  readonly #code: PolicyCode<Index>
  /** If true, estimates depend on placements, and each placement is checked before an estimate reads it. */
  readonly #estimatesVary: boolean
  readonly #mostQuestions: number
  #questions = 0
  #request: Request | undefined
  /** For each running job: the checksum of its placement at its start. */
  #checksums: Int32Array
  /** Job that started last, its allocation, and a cheap checksum of the allocation. */
  #last: { readonly job: number; readonly allocation: Allocation; readonly ends: number } | undefined
  readonly #reserved = new ReservedPlacements()

  /** @param jobs expected number of jobs */
  constructor(topology: Topology, code: PolicyCode<Index>, estimatesVary: boolean, jobs: number = 0) {
    this.#topology = topology
    this.#words = maskWords(topology)
    this.#code = code
    this.#estimatesVary = estimatesVary
    this.#mostQuestions = code.mostQuestions ?? Infinity
    this.#checksums = new Int32Array(jobs)
  }

  /**
   * Asks the policy for a placement.
   *
   * @param isRecorded true if a refusal goes to the log with all its fields
   * @throws PolicyFaultError
   * @throws TooManyQuestionsError
   */
  place(state: ClusterState<Index>, request: Request, isRecorded: boolean = this.#code.refusals): Outcome {
    const { policyName, placer, timeLimit, refusals } = this.#code
    if (this.#questions++ >= this.#mostQuestions) throw new TooManyQuestionsError(policyName, this.#mostQuestions)
    this.#request = request
    let outcome: Outcome
    let defect: string | undefined
    try {
      outcome = withIds(
        timeLimit === undefined ? placer.place(state, request, state.index) : this.#placeInTime(state, request),
      )
      defect = !isRecorded && isRefusal(outcome) ? undefined : outcomeDefect(outcome)
      if (defect === undefined && refusals) defect = noteDefect(outcome)
    } catch (thrown) {
      throw this.#thrown('place', thrown)
    }
    if (defect === undefined) {
      if (this.#estimatesVary && outcome.ok) this.checkPlacement(request.job, outcome)
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
    return nodes > state.freeNodes || nodes > this.mostNodes(state)
  }

  /** Returns the policy's bound of the nodes of a placement; Infinity without a bound. @throws PolicyFaultError */
  mostNodes(state: ClusterState<Index>): number {
    const { placer } = this.#code
    if (placer.mostNodes === undefined) return Infinity
    return this.#numberOf('mostNodes', () => placer.mostNodes!(state, state.index))
  }

  /**
   * Returns the policy's bound of the nodes of a placement in `state` that leaves a job of `head` nodes a placement in
   * `later`; Infinity without a bound.
   *
   * @throws PolicyFaultError
   */
  mostNodesBeside(state: ClusterState<Index>, later: ClusterState<Index>, head: number): number {
    const { placer } = this.#code
    if (placer.mostNodesBeside === undefined) return Infinity
    const ask = (): number => placer.mostNodesBeside!(state, state.index, later, later.index, head)
    return this.#numberOf('mostNodesBeside', ask)
  }

  #numberOf(bound: string, ask: () => number): number {
    let most: number
    try {
      most = ask()
    } catch (thrown) {
      throw this.#thrown(bound, thrown)
    }
    if (typeof most === 'number') return most
    throw this.fault('answer', `${bound} returned a value of type ${typeof most}; expected a number`)
  }

  /** @throws PolicyFaultError */
  requestKey(request: Request): string | number | undefined {
    const { placer } = this.#code
    if (placer.requestKey === undefined) return request.nodes
    this.#request = request
    let key: string | number | undefined
    try {
      key = placer.requestKey(request)
    } catch (thrown) {
      throw this.#thrown('requestKey', thrown)
    }
    if (key === undefined || typeof key === 'string' || typeof key === 'number') return key
    throw this.fault('answer', `requestKey returned a value of type ${typeof key}; expected a string or a number`)
  }

  /** Functions of the policy's index. Each throws a PolicyFaultError if the policy's function throws. */
  get index(): IndexHooks<Index> | undefined {
    const hooks = this.#code.placer.index
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

  /**
   * Returns a checksum of the placement's ids.
   *
   * @throws PolicyFaultError if a node or link does not exist, or if reading the placement throws
   */
  checkPlacement(job: string, placement: Placement): number {
    let defect: string | undefined
    try {
      const checksum = checksumOf(this.#words, placement)
      defect =
        checksum === undefined || placement.ranks !== undefined ? placementDefect(this.#topology, placement) : undefined
      if (defect === undefined && checksum !== undefined) return checksum
    } catch (thrown) {
      defect = `reading the placement threw ${thrownInWords(thrown)}`
    }
    throw this.fault('placement', `gave job ${job} an invalid placement: ${defect}`)
  }

  /** Remembers the placement of a reservation. @throws PolicyFaultError if the topology lacks a node or link */
  reserve(job: number, id: string, placement: Placement): void {
    this.#reserved.set(job, { placement, checksum: this.checkPlacement(id, placement) })
  }

  /** Forgets the placement of the job's reservation. */
  unreserve(job: number): void {
    this.#reserved.take(job)
  }

  /**
   * Finds a policy with one array for all answers: a new answer overwrites the last allocation, or the placement
   * reserved for the starting job.
   *
   * @throws PolicyFaultError
   */
  checkBeforeStart(job: number, id: string, placement: Placement, checksum: number): void {
    if (this.#last !== undefined && endsOf(this.#last.allocation) !== this.#last.ends)
      this.checkKept(this.#last.job, this.#last.allocation)
    const reserved = this.#reserved.take(job)
    if (reserved?.placement === placement && reserved.checksum !== checksum) throw this.#rewritten(id, placement)
  }

  /** Remembers the checksum of a placement on which a job starts. */
  start(job: number, allocation: Allocation, checksum: number): void {
    this.#checksums = grown(this.#checksums, job)
    this.#checksums[job] = checksum
    this.#last = { job, allocation, ends: endsOf(allocation) }
  }

  /** Forgets the placement of a job that ends. @throws PolicyFaultError if the policy has written to the placement */
  end(job: number, allocation: Allocation): void {
    this.checkKept(job, allocation)
    if (this.#last?.job === job) this.#last = undefined
  }

  /** @throws PolicyFaultError if the policy has written to the allocation of a running job */
  checkKept(job: number, allocation: Allocation): void {
    if (checksumOf(this.#words, allocation) !== this.#checksums[job]) throw this.#rewritten(allocation.job, allocation)
  }

  /**
   * Calls `ask`, a question to the policy about a second job. `placement` is an earlier answer of the policy for `job`.
   *
   * @throws PolicyFaultError if the policy writes to `placement` during `ask`
   */
  keeping<Answer>(job: string, placement: Placement, ask: () => Answer): Answer {
    const checksum = this.checkPlacement(job, placement)
    const answer = ask()
    if (checksumOf(this.#words, placement) !== checksum) throw this.#rewritten(job, placement)
    return answer
  }

  /** Returns the error for a breach of contract after the last request. */
  fault(code: FaultCode, reason: string, cause?: unknown, limit?: number): PolicyFaultError {
    return new PolicyFaultError({
      policy: this.#code.policyName,
      code,
      reason,
      request: this.#request,
      cause,
      limit,
      recorded: undefined,
    })
  }

  #rewritten(job: string, { nodes }: Resources): PolicyFaultError {
    const now = formatIdset(Array.from(nodes).toSorted((a, b) => a - b))
    return this.fault(
      'rewritten',
      `changed its answer for job ${job} after the answer: the same arrays now name nodes ${now}; return new arrays with each answer`,
    )
  }

  #placeInTime(state: ClusterState<Index>, request: Request): Outcome {
    const { milliseconds, call } = this.#code.timeLimit!
    const answered = call(() => this.#code.placer.place(state, request, state.index))
    if (answered === undefined) throw this.fault('time', `place gave no answer within ${milliseconds / 1000} s`)
    return answered.answer
  }

  #thrown(calling: string, thrown: unknown): PolicyFaultError {
    // The error is already a fault: an index function failed during `place`, or `place` took too long.
    if (thrown instanceof PolicyFaultError) return thrown
    const described = describedFault(thrown)
    if (described !== undefined) return this.fault(described.code, described.reason, thrown, described.limit)
    return this.fault('throws', `${calling} threw ${thrownInWords(thrown)}`, thrown)
  }
}

interface Reserved {
  readonly placement: Placement
  readonly checksum: number
}

/** Reserved placements with checksums of the policy's answers. A Map would leave much garbage. */
export class ReservedPlacements {
  readonly #jobs: Array<number> = []
  readonly #reserved: Array<Reserved> = []

  set(job: number, reserved: Reserved): void {
    const at = this.#jobs.indexOf(job)
    if (at >= 0) this.#reserved[at] = reserved
    else {
      this.#jobs.push(job)
      this.#reserved.push(reserved)
    }
  }

  take(job: number): Reserved | undefined {
    const at = this.#jobs.indexOf(job)
    if (at < 0) return undefined
    const taken = this.#reserved[at]
    const [lastJob, last] = [this.#jobs.pop()!, this.#reserved.pop()!]
    if (at === this.#jobs.length) return taken
    this.#jobs[at] = lastJob
    this.#reserved[at] = last
    return taken
  }
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

/** An asynchronous policy returns a Promise. A later rejection of the Promise must not end the process. */
function swallowRejection(outcome: unknown): void {
  if (outcome instanceof Promise) outcome.catch(() => {})
}

/** Returns a checksum that reveals a later change of the ids; undefined if ids do not exist or do not ascend. */
function checksumOf(words: ReturnType<typeof maskWords>, resources: Resources): number | undefined {
  if (resources instanceof FromMasks) return checksumOfMasks(words, resources.masks)
  const { nodes: count, levels } = words.topology
  const { nodes, links } = resources
  let sum = added(nodes.length, nodes, count)
  for (let level = 0; level < links.length && sum !== undefined; level++)
    sum = added(sum, links[level], levels[level]?.links ?? 0)
  return sum
}

function added(start: number, ids: ArrayLike<number>, count: number): number | undefined {
  let sum = start
  let previous = -1
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i]
    if (!(id > previous && id < count) || (id | 0) !== id) return undefined
    sum = (Math.imul(sum, 31) + id) | 0
    previous = id
  }
  return sum
}

/** Returns a cheap checksum of the number of nodes and of the first and last ids of nodes and lowest links. */
function endsOf(resources: Resources): number {
  if (resources instanceof FromMasks) {
    const { nodes, links } = resources.masks
    return endsOf({ nodes, links })
  }
  const { nodes, links } = resources
  const first = links[0]
  const ofLinks = first === undefined || first.length === 0 ? 0 : first[0] + 31 * first[first.length - 1]
  return nodes.length === 0
    ? ofLinks
    : (nodes.length + 31 * nodes[0] + 961 * nodes[nodes.length - 1] + 29791 * ofLinks) | 0
}
