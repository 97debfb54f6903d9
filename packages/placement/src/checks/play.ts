import type { Topology } from '@cloister/topology'
import type { Outcome } from '../contract.ts'
import { Draw } from './draws.ts'
import { History, type Situation } from './history.ts'
import { answers } from './properties/answers.ts'
import { type Asked, Asker, NoAnswer, type Property, request, type Stopwatch } from './questions.ts'
import { takeReads } from './reads.ts'
import { stateOf } from './scenes.ts'
import { largestLeaf, type Subject } from './subjects.ts'

/**
 * A machine with more than this number of nodes gets a quarter of the random histories, with half of the steps, and one
 * in `RARELY` tests of expensive properties.
 */
export const SMALL = 60
const STEPS = 120
const RARELY = 6
/** Number of steps of the only history of a machine with `isBrief`. */
const STEPS_OF_BRIEF = 30

/** A broken property, with the questions of a history up to the question that shows the defect. */
export interface Sighting {
  readonly property: Property
  readonly message: string
  readonly questions: ReadonlyArray<Asked>
  readonly error?: NoAnswer
}

/** Campaign that a `Play` belongs to. */
interface Listener {
  readonly properties: ReadonlyArray<Property>
  readonly stopwatch: Stopwatch
  /** Returns true if the property is still tested. */
  readonly isOpen: (property: Property) => boolean
  readonly sees: (sighting: Sighting) => void
}

/** Upper bound of the number of properties. A new property then changes no draw of the other properties. */
const MOST_PROPERTIES = 64

/**
 * Random history of a subject. With seed 1, jobs of each size on the empty machine come first. Each answer is tested
 * against every open property. The history ends early if the policy does not answer a request, or breaks a property of
 * the basis.
 */
export class Play {
  readonly #subject: Subject
  readonly #seed: number
  readonly #listener: Listener
  readonly #asker: Asker
  readonly #applying: ReadonlyArray<Property>
  readonly #questions: Array<Asked> = []
  #sizes: Array<Situation> | undefined
  #history: History | undefined
  #step = 0
  #isOver = false

  constructor(subject: Subject, seed: number, listener: Listener) {
    this.#subject = subject
    this.#seed = seed
    this.#listener = listener
    this.#asker = new Asker(subject, subject.placer, listener.stopwatch)
    this.#applying = listener.properties.filter((property) => property.applies?.(subject) !== false)
    takeReads()
  }

  /** Asks the next question. Returns false if the history is over. */
  next(): boolean {
    try {
      this.#next()
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      const asked = { scene: error.question.scene, request: error.question.request, seed: 0 }
      this.#listener.sees({ property: answers, message: error.message, questions: [...this.#questions, asked], error })
      this.#isOver = true
    }
    return !this.#isOver
  }

  #next(): void {
    this.#sizes ??= this.#seed === 1 ? eachSize(this.#subject) : []
    const ofEmptyMachine = this.#sizes.shift()
    if (ofEmptyMachine === undefined) this.#goOn()
    else this.#askSize(ofEmptyMachine)
  }

  #askSize(situation: Situation): void {
    const { topology, placedSizes } = this.#subject
    const { nodes } = situation.request
    const isLarge = nodes > 2 * largestLeaf(topology)
    const outcome = this.#ask(
      situation,
      nodes,
      ({ costs, isForHistories }) => isForHistories !== true && (costs !== true || isLarge),
    )
    if (outcome.ok) placedSizes.add(nodes)
  }

  #goOn(): void {
    const { machine, topology } = this.#subject
    this.#history ??= new History(this.#subject, this.#asker, new Draw(this.#seed))
    const isSmall = topology.nodes <= SMALL
    const isRare = !isSmall && this.#step % RARELY !== 0
    const situation = this.#history.next()
    const outcome = this.#ask(
      situation,
      this.#seed * STEPS + this.#step,
      ({ costs, isForSizes }) => isForSizes !== true && !(costs === true && isRare),
    )
    if (this.#isOver) return
    this.#questions.push({ scene: situation.scene, request: situation.request, seed: 0 })
    this.#history.goOn(situation, outcome)
    this.#step++
    this.#isOver = this.#step >= (machine.isBrief ? STEPS_OF_BRIEF : isSmall ? STEPS : STEPS / 2)
  }

  /** Asks a request, and tests the answer against the open properties for which `isDue` is true. */
  #ask(situation: Situation, number: number, isDue: (property: Property) => boolean): Outcome {
    const { isOpen, sees } = this.#listener
    const { scene, state, request: asks } = situation
    const before = state.fork()
    const outcome = this.#asker.ask(state, scene, asks)
    const question = {
      subject: this.#subject,
      asker: this.#asker,
      other: () => new Asker(this.#subject, this.#subject.anotherPlacer(), this.#listener.stopwatch),
      ...situation,
      before,
      outcome,
      draw: new Draw(0),
    }
    for (const [at, property] of this.#applying.entries()) {
      if (!isDue(property) || !isOpen(property)) continue
      const seed = number * MOST_PROPERTIES + at
      question.draw = new Draw(seed)
      const found = property.defect(question)
      if (found === undefined) continue
      sees({ property, message: found.message, questions: [...this.#questions, { scene, request: asks, seed }] })
      if (property.isBasis !== true) continue
      this.#isOver = true
      break
    }
    before.drop()
    return outcome
  }
}

/**
 * Returns a job of each size up to two leaves on the empty machine, then jobs of about a pod, half of the machine and
 * the whole machine. Random histories ask for few of the sizes.
 */
function eachSize({ topology, placer }: Subject): Array<Situation> {
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
