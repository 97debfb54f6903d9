import { performance } from 'node:perf_hooks'
import { createContext, Script } from 'node:vm'
import type { Topology } from '@cloister/topology'
import { Draw } from './draws.ts'
import type { Outcome } from '../contract.ts'
import { History, type Situation } from './history.ts'
import { answers } from './properties/answers.ts'
import { endPlacing, takeReads, withTraps } from './reads.ts'
import { type Asked, Asker, describe, NoAnswer, type Pending, type Property, request, Stopwatch } from './questions.ts'
import { stateOf } from './scenes.ts'
import { asTest, shrink } from './shrink.ts'
import { type CheckOptions, type CheckProgress, largestLeaf, type Subject } from './subjects.ts'

const HISTORIES = 4
const MAX_PLACE_MS = 1000
const SECONDS = 60
/**
 * Greatest number of requests in one step of a history; about ten are usual. The policy counts as hanging if steps take
 * longer than this number of calls may take.
 */
const QUESTIONS_A_STEP = 15
const LEAST_MS = 3000
const PATIENCE = 10
const SHRINKING_MS = 10_000
/**
 * A machine with more than this number of nodes gets a quarter of the random histories, with half of the steps, and one
 * in `RARELY` tests of expensive properties.
 */
const SMALL = 60
const STEPS = 120
const RARELY = 6
/** Number of steps of the only history of a machine with `isBrief`. */
const STEPS_OF_BRIEF = 30

/** Plays the histories of all subjects once, unless the basis is broken, no open property is left, or time is up. */
export class Campaign {
  readonly #subjects: ReadonlyArray<Subject>
  readonly #properties: ReadonlyArray<Property>
  readonly #options: CheckOptions
  readonly #stopwatch: Stopwatch
  readonly #broken = new Map<string, Error>()
  readonly #began = performance.now()
  #isOver = false

  constructor(subjects: ReadonlyArray<Subject>, properties: ReadonlyArray<Property>, options: CheckOptions) {
    this.#subjects = subjects
    this.#properties = properties
    this.#options = options
    this.#stopwatch = new Stopwatch(options.maxPlaceMs ?? MAX_PLACE_MS)
  }

  /** Returns an error if a history breaks the property. The first call plays the histories of all subjects. */
  defectOf({ name }: Property): Error | undefined {
    if (!this.#isOver) withTraps(() => this.#play())
    return this.#broken.get(name)
  }

  #play(): void {
    this.#isOver = true
    const rounds = this.#rounds()
    for (const [done, { subject, seed }] of rounds.entries()) {
      this.#playOne(subject, seed)
      this.#options.onProgress?.(this.#progress(subject, done + 1, rounds.length))
      if (
        this.#isBasisBroken() ||
        !this.#properties.some((property) => property.isBasis !== true && this.#isOpen(property))
      )
        return
      if (this.#isOutOfTime()) {
        this.#broken.set(answers.name, new Error(this.#outOfTime(subject, done + 1, rounds.length)))
        return
      }
    }
  }

  #rounds(): ReadonlyArray<{ readonly subject: Subject; readonly seed: number }> {
    const histories = this.#options.histories ?? HISTORIES
    return this.#subjects.flatMap((subject) => {
      const isRare = subject.topology.nodes > SMALL || subject.machine.isBrief
      const count = isRare ? Math.ceil(histories / HISTORIES) : histories
      return Array.from({ length: count }, (_, at) => ({ subject, seed: at + 1 }))
    })
  }

  /** @param patience factor of the time limit; greater in a second try, after a busy computer exceeded the limit */
  #playOne(subject: Subject, seed: number, patience = 1): void {
    const { maxPlaceMs } = this.#stopwatch
    const limit = patience * Math.max(LEAST_MS, maxPlaceMs * QUESTIONS_A_STEP)
    const steps = play(subject, seed, this.#stopwatch, (property) => this.#isOpen(property), this.#properties)
    try {
      for (let isOver = false; !isOver;) {
        isOver = interruptible(() => this.#someSteps(subject, seed, steps), limit)
        if (this.#isOutOfTime()) return
      }
    } catch (error) {
      const { pending } = this.#stopwatch
      const isBusy = pending !== undefined && performance.now() - pending.since < maxPlaceMs
      if (error instanceof Interrupted && isBusy && patience === 1) return this.#playOne(subject, seed, PATIENCE)
      const defect = error instanceof Interrupted ? this.#hanging(subject, error) : thrownBy(subject, error)
      this.#broken.set(answers.name, defect)
    }
  }

  /** Plays a history for a quarter of `maxPlaceMs`. Returns true if the history is over. */
  #someSteps(subject: Subject, seed: number, steps: Generator<Sighting | undefined>): boolean {
    const until = performance.now() + this.#stopwatch.maxPlaceMs / 4
    while (performance.now() < until) {
      const { done, value } = steps.next()
      if (done === true) return true
      if (value !== undefined) this.#broken.set(value.property.name, this.#described(subject, seed, value))
    }
    return false
  }

  #described(subject: Subject, seed: number, { property, message, questions, error }: Sighting): Error {
    const where = `${subject.label}, history ${seed}, question ${questions.length}, ${questions.at(-1)!.request.nodes} nodes`
    if (error?.isSlow === true) {
      return new Error(`${where}: ${message}\n\n${questionOf(error.question)}`)
    }
    const shown = shrunk(subject, property, questions)
    if (shown === undefined)
      return new Error(
        `${where}: ${message}\n\nA new placer with the same requests in a new state does not repeat the fault: the fault depends on earlier requests.`,
        { cause: error?.cause },
      )
    return new Error(`${where}: ${shown.defect.message}\n\n${asTest(subject, property.name, shown)}`, {
      cause: error?.cause,
    })
  }

  #hanging(subject: Subject, error: Interrupted): Error {
    const { pending, maxPlaceMs } = this.#stopwatch
    if (pending === undefined)
      return new Error(
        `${subject.label}: make, requestKey, mostNodes or a hook of the index hangs: the call ${error.message}`,
      )
    const seconds = Math.round((performance.now() - pending.since) / 1000)
    const message = `place gave no answer for ${seconds} s, and was stopped; ${maxPlaceMs} ms are allowed (option maxPlaceMs)`
    return new Error(`${subject.label}, ${pending.request.nodes} nodes: ${message}\n\n${questionOf(pending)}`)
  }

  #isOpen(property: Property): boolean {
    const isKnown = (name: string): boolean => this.#broken.has(name)
    return !isKnown(property.name) && property.standsOn?.some(isKnown) !== true
  }

  #isBasisBroken(): boolean {
    return this.#properties.some(({ name, isBasis }) => isBasis === true && this.#broken.has(name))
  }

  #isOutOfTime(): boolean {
    return this.#stopwatch.milliseconds > 1000 * this.#allowed
  }
  get #allowed(): number {
    return this.#options.seconds ?? SECONDS
  }
  get #seconds(): number {
    return (performance.now() - this.#began) / 1000
  }

  #progress({ topology }: Subject, done: number, total: number): CheckProgress {
    return { machine: topology.name, done, total, questions: this.#stopwatch.questions, seconds: this.#seconds }
  }

  #outOfTime(subject: Subject, done: number, total: number): string {
    const { questions, milliseconds, slowest, slowestQuestion } = this.#stopwatch
    const average = (milliseconds / questions).toFixed(1)
    const spent = `the policy took more than ${this.#allowed} s (option seconds) for ${done} of ${total} histories, the last on ${subject.label}: ${questions} questions took ${average} ms each, the slowest ${Math.round(slowest)} ms`
    return slowestQuestion === undefined ? spent : `${spent}\n\n${questionOf(slowestQuestion)}`
  }
}

/** Returns fewer and smaller questions that show the defect; undefined if new placers do not show it in time. */
function shrunk(...[subject, property, questions]: Parameters<typeof shrink>): ReturnType<typeof shrink> {
  try {
    return interruptible(() => shrink(subject, property, questions), SHRINKING_MS)
  } catch (error) {
    if (error instanceof Interrupted) return undefined
    throw error
  }
}

function thrownBy({ label }: Subject, error: unknown): Error {
  const message = `${label}: make, requestKey, mostNodes or a hook of the index threw ${describe(error)}`
  return new Error(message, { cause: error })
}

/** Returns a test of a slow request, which is not shrunk, because smaller requests may be slow, too. */
function questionOf({ subject, scene, request }: Pending): string {
  return asTest(subject, answers.name, { questions: [{ scene, request, seed: 0 }], defect: { message: '', test: [] } })
}

/** A broken property, with the questions of a history up to the question that shows the defect. */
interface Sighting {
  readonly property: Property
  readonly message: string
  readonly questions: ReadonlyArray<Asked>
  readonly error?: NoAnswer
}

type PropertyFilter = (property: Property) => boolean

/**
 * Asks the empty machine about jobs of each size if `seed` is 1, then plays one random history. Tests each answer
 * against every property for which `isOpen` is true. Yields a sighting for each broken property, and undefined after
 * each step. The history ends early if the policy does not answer a request, or breaks a property of the basis.
 */
function* play(
  subject: Subject,
  seed: number,
  stopwatch: Stopwatch,
  isOpen: (property: Property) => boolean,
  properties: ReadonlyArray<Property>,
): Generator<Sighting | undefined> {
  const asker = new Asker(subject, subject.placer, stopwatch)
  const other = (): Asker => new Asker(subject, subject.anotherPlacer(), stopwatch)
  const questions: Array<Asked> = []
  const applying = properties.filter((property) => property.applies?.(subject) !== false)
  let isOver = false
  function* looked(situation: Situation, first: number, of: PropertyFilter): Generator<Sighting, Outcome> {
    const { scene, state, request: asks } = situation
    const before = state.fork()
    const outcome = asker.ask(state, scene, asks)
    const question = { subject, asker, other, ...situation, before, outcome, draw: new Draw(0) }
    for (let at = 0; at < applying.length; at++) {
      const property = applying[at]
      if (!of(property) || !isOpen(property)) continue
      const drawn = first * properties.length + at
      question.draw = new Draw(drawn)
      const found = property.defect(question)
      if (found === undefined) continue
      yield { property, message: found.message, questions: [...questions, { scene, request: asks, seed: drawn }] }
      isOver = property.isBasis === true
      if (isOver) break
    }
    before.drop()
    return outcome
  }
  takeReads()
  try {
    if (seed === 1) {
      const isLarge = (nodes: number): boolean => nodes > 2 * largestLeaf(subject.topology)
      for (const situation of eachSize(subject)) {
        const { nodes } = situation.request
        const outcome = yield* looked(
          situation,
          nodes,
          ({ costs, isForHistories }) => isForHistories !== true && (costs !== true || isLarge(nodes)),
        )
        if (isOver) return
        if (outcome.ok) subject.placedSizes.add(nodes)
        yield undefined
      }
    }
    const history = new History(subject, asker, new Draw(seed))
    const isSmall = subject.topology.nodes <= SMALL
    const steps = subject.machine.isBrief ? STEPS_OF_BRIEF : isSmall ? STEPS : STEPS / 2
    for (let step = 0; step < steps; step++) {
      const situation = history.next()
      const isRare = !isSmall && step % RARELY !== 0
      const outcome = yield* looked(
        situation,
        seed * STEPS + step,
        ({ costs, isForSizes }) => isForSizes !== true && !(costs === true && isRare),
      )
      if (isOver) return
      questions.push({ scene: situation.scene, request: situation.request, seed: 0 })
      history.goOn(situation, outcome)
      yield undefined
    }
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    const asked = { scene: error.question.scene, request: error.question.request, seed: 0 }
    yield { property: answers, message: error.message, questions: [...questions, asked], error }
  }
}

/**
 * Returns a job of each size up to two leaves on the empty machine, then jobs of about a pod, half of the machine and
 * the whole machine. Random histories ask for few of the sizes.
 */
function eachSize({ topology, placer }: Subject): ReadonlyArray<Situation> {
  const scene = { running: [], ahead: [], down: [], withheld: [] }
  const state = stateOf(placer, topology, scene)
  const sizes = Array.from({ length: Math.min(2 * largestLeaf(topology), topology.nodes) }, (_, at) => at + 1)
  return [...sizes, ...largeSizes(topology)].map((size) => ({
    scene,
    state,
    request: request(size, { bandwidth: 500 }),
  }))
}

function largeSizes(topology: Topology): ReadonlyArray<number> {
  const { nodes, pods } = topology
  const pod = Math.ceil(nodes / pods)
  const sizes = [pod, pod + 1, Math.ceil(nodes / 2), nodes - 1, nodes]
  return [...new Set(sizes)].filter((size) => size > 2 * largestLeaf(topology) && size <= nodes)
}

const context = createContext({ run: () => {} })
const script = new Script('run()')

export class Interrupted extends Error {}

/**
 * Runs a function with a time limit. Node stops a `vm` script at its limit, with all functions that the script calls,
 * endless loops included, so a hanging function needs no second thread.
 *
 * @throws Interrupted if the time limit is exceeded, or any error of `run`
 */
export function interruptible<Result>(run: () => Result, milliseconds: number): Result {
  let result: Result
  context['run'] = () => {
    result = run()
  }
  try {
    script.runInContext(context, { timeout: milliseconds })
  } catch (error) {
    endPlacing()
    if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      throw new Interrupted(`did not return within ${milliseconds} ms`, { cause: error })
    throw error
  }
  return result!
}
