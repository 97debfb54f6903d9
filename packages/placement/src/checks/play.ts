import { Asker, NoAnswer, type Stopwatch } from './asker.ts'
import { Draw } from './draw.ts'
import { History } from './history.ts'
import { answers } from './properties/answers.ts'
import type { Asked, Property } from './question.ts'
import type { Subject } from './subject.ts'

/** A broken property, with the questions of a history up to the question that shows the defect. */
export interface Sighting {
  readonly property: Property
  readonly message: string
  readonly questions: ReadonlyArray<Asked>
  readonly error?: NoAnswer
}

const STEPS = 120
/** On a machine with more than this number of nodes, expensive properties test one in `RARELY` questions. */
const SMALL = 60
const RARELY = 6

/**
 * Plays one random history, and tests each answer against every property for which `isOpen` is true. Yields a sighting
 * for each broken property, and undefined after each step. The history ends early if the policy does not answer a
 * request, or breaks a property of the basis.
 */
export function* play(
  subject: Subject,
  seed: number,
  stopwatch: Stopwatch,
  isOpen: (property: Property) => boolean,
  properties: ReadonlyArray<Property>,
): Generator<Sighting | undefined> {
  const draw = new Draw(seed)
  const asker = new Asker(subject, subject.placer, stopwatch)
  const other = (): Asker => new Asker(subject, subject.anotherPlacer(), stopwatch)
  const questions: Array<Asked> = []
  try {
    const history = new History(subject, asker, draw)
    const steps = subject.topology.nodes > SMALL ? STEPS / 2 : STEPS
    for (let step = 0; step < steps; step++) {
      const situation = history.next()
      const { scene, request, state } = situation
      const outcome = asker.ask(state, scene, request)
      const looks = subject.topology.nodes <= SMALL || step % RARELY === 0
      for (const [at, property] of properties.entries()) {
        if (!isOpen(property) || !property.applies(subject) || (property.costs === true && !looks)) continue
        const asked = { scene, request, seed: (seed * STEPS + step) * properties.length + at }
        const found = property.defect({ subject, asker, other, ...situation, outcome, draw: new Draw(asked.seed) })
        if (found === undefined) continue
        yield { property, message: found.message, questions: [...questions, asked] }
        if (property.isBasis === true) return
      }
      questions.push({ scene, request, seed: 0 })
      history.goOn(situation, outcome)
      yield undefined
    }
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    const asked = { scene: error.question.scene, request: error.question.request, seed: 0 }
    yield { property: answers, message: error.message, questions: [...questions, asked], error }
  }
}
