import type { Outcome, Request } from '../contract.ts'
import type { ClusterState } from '../state.ts'
import type { Asker } from './asker.ts'
import type { Draw } from './draw.ts'
import type { Scene } from './scene.ts'
import type { Subject } from './subject.ts'

/** Request of a history, with the state for the request and the answer of the policy. */
export interface Question {
  readonly subject: Subject
  /** Asker of the placer that answered all earlier requests of the history. */
  readonly asker: Asker
  /** Returns an asker of a new placer of the same policy, topology and config. */
  readonly other: () => Asker
  readonly scene: Scene
  readonly state: ClusterState<any>
  readonly request: Request
  readonly outcome: Outcome
  /** Random draws for further requests of a property. */
  readonly draw: Draw
}

/** Question as data, from which the suite can repeat the question. `seed` is the seed of `Question.draw`. */
export interface Asked {
  readonly scene: Scene
  readonly request: Request
  readonly seed: number
}

/** Defect that a property found in the answer to a question. */
export interface Defect {
  readonly message: string
  /**
   * Last lines of a test that shows the defect. The lines may use the variables `placer`, `topology`, `state`, `asked`
   * and `outcome`.
   */
  readonly test: ReadonlyArray<string>
  /** Scene that shows the defect; absent if the scene of the question shows the defect. */
  readonly scene?: Scene
  /** Request that shows the defect; absent if the request of the question shows the defect. */
  readonly request?: Request
}

/** Property of a policy that is tested after each question of a random history. */
export interface Property {
  readonly name: string
  /** Names of prerequisite properties. If a prerequisite is broken, the result of this property is meaningless. */
  readonly standsOn: ReadonlyArray<string>
  /** Returns true if the claims or the members of the policy demand the property. */
  applies(subject: Subject): boolean
  defect(question: Question): Defect | undefined
  /**
   * True if the property belongs to the basis, the prerequisites of all other properties. A history ends if a property
   * of the basis is broken.
   */
  readonly isBasis?: boolean
  /**
   * True if the test is expensive. On machines of more than 60 nodes, an expensive property tests only some questions.
   */
  readonly costs?: boolean
}
