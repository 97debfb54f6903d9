import type { AuditReport } from '@cloister/audit'
import type { Metrics } from '@cloister/metrics'
import type { GivenSpec } from '@cloister/run'

/** A file that was dropped on the page. */
export interface DroppedFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** What a worker is asked: to simulate, and to look at the log of a simulation. */
export type Question =
  | {
      readonly kind: 'simulate'
      readonly spec: GivenSpec
      readonly file: DroppedFile | undefined
      /** JavaScript of a module whose default export is the policy, in place of a built-in one. */
      readonly code: string | undefined
    }
  | {
      readonly kind: 'examine'
      readonly log: Uint8Array
      /** The run that was asked for, if code made the log: it is compared with that. */
      readonly asked: AskedRun | undefined
    }

/** A run, and the file that its trace may be. */
export interface AskedRun {
  readonly spec: GivenSpec
  readonly file: DroppedFile | undefined
}

/** A log as it was made, and how long that took, seconds. */
export interface Simulated {
  readonly log: Uint8Array
  readonly jobs: number
  readonly seconds: number
}

/** What the log tells. */
export interface Examined {
  readonly audit: AuditReport
  readonly metrics: Metrics
  /** Base64 of gzip, as the viewer's page has it inside. */
  readonly embedded: string
  readonly seconds: number
}

/** What went wrong, for people; where it can be told, in which line of the code. */
export interface Problem {
  readonly message: string
  readonly line: number | undefined
  readonly column: number | undefined
}

export type Answer =
  | { readonly kind: 'simulated'; readonly simulated: Simulated }
  | { readonly kind: 'examined'; readonly examined: Examined }
  | { readonly kind: 'problem'; readonly problem: Problem }
