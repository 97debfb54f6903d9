import type { Outcome, Request } from '../contract.ts'
import type { ClusterState } from '../state.ts'
import type { Asker } from './asker.ts'
import type { Draw } from './draw.ts'
import type { Scene } from './scene.ts'
import type { Subject } from './subject.ts'

/** What a policy was asked, where, and what it answered. */
export interface Question {
  readonly subject: Subject
  /** Asks the placer that has answered everything before this, too. */
  readonly asker: Asker
  /** Asks another placer of the same make, which was asked nothing yet. */
  readonly other: () => Asker
  readonly scene: Scene
  readonly state: ClusterState<any>
  readonly request: Request
  readonly outcome: Outcome
  /** For what a check tries besides. */
  readonly draw: Draw
}

/** A question as data, with which it can be asked again. */
export interface Asked {
  readonly scene: Scene
  readonly request: Request
  readonly seed: number
}

/** What is wrong with an answer. */
export interface Defect {
  readonly message: string
  /** The end of a test that shows it, in terms of `placer`, `topology`, `state`, `asked` and `outcome`. */
  readonly test: ReadonlyArray<string>
  /** Where another question shows it than the one that was looked at. */
  readonly scene?: Scene
  readonly request?: Request
}

/** One property of a policy, looked at after each question of a random history. */
export interface Property {
  readonly name: string
  /** Properties without which this one says nothing. */
  readonly standsOn: ReadonlyArray<string>
  /** Whether the claims ask for it. */
  applies(subject: Subject): boolean
  defect(question: Question): Defect | undefined
  /** No history goes on where it is broken, and all other properties stand on it. */
  readonly isBasis?: boolean
  /** It costs much: on large machines only some questions are worth it. */
  readonly costs?: boolean
}
