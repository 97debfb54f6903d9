import type { Outcome, Request } from '../contract.ts'
import type { ClusterState } from '../state.ts'
import type { Asker } from './asker.ts'
import type { Draw } from './draw.ts'
import type { Scene } from './scene.ts'
import type { Subject } from './subject.ts'

/** A request, the state for it, and the answer of the policy. */
export interface Question {
  readonly subject: Subject
  /** Asks the placer that has also answered all earlier requests of the history. */
  readonly asker: Asker
  /** Makes an asker with a new placer of the same policy, topology and config. */
  readonly other: () => Asker
  readonly scene: Scene
  readonly state: ClusterState<any>
  readonly request: Request
  readonly outcome: Outcome
  /** Random draws for further trials of a property. */
  readonly draw: Draw
}

/** A question as data, from which the suite can ask again. */
export interface Asked {
  readonly scene: Scene
  readonly request: Request
  readonly seed: number
}

/** Defect of an answer. */
export interface Defect {
  readonly message: string
  /** Last lines of a test that shows the defect. They use `placer`, `topology`, `state`, `asked` and `outcome`. */
  readonly test: ReadonlyArray<string>
  /** Scene that shows the defect, if different from the scene of the question. */
  readonly scene?: Scene
  /** Request that shows the defect, if different from the request of the question. */
  readonly request?: Request
}

/** A property of a policy, tested after each question of a random history. */
export interface Property {
  readonly name: string
  /** Names of prerequisite properties. If a prerequisite is broken, the result of this property is meaningless. */
  readonly standsOn: ReadonlyArray<string>
  /** Tests whether the claims or members of the policy demand the property. */
  applies(subject: Subject): boolean
  defect(question: Question): Defect | undefined
  /** True if all other properties stand on this one. A history ends if the property is broken. */
  readonly isBasis?: boolean
  /** True if the test is expensive. On large machines only some questions are tested. */
  readonly costs?: boolean
}
