import type { Outcome, Request } from '../contract.ts'
import type { ClusterState } from '../state.ts'
import type { Asker } from './asker.ts'
import type { Draw } from './draw.ts'
import type { Scene } from './scene.ts'
import type { Subject } from './subject.ts'

/** Request of a history, with its state and the policy's answer. */
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
  /** Names of prerequisite properties. If one is broken, the result of this property is meaningless. */
  readonly standsOn: ReadonlyArray<string>
  /** Returns true if the claims or the members of the policy demand the property. */
  applies(subject: Subject): boolean
  defect(question: Question): Defect | undefined
  /** True if a history ends when this property is broken. Such properties are prerequisites of all others. */
  readonly isBasis?: boolean
  /** True if `defect` is expensive: on machines of more than 60 nodes, it is called for one in six questions. */
  readonly costs?: boolean
}
