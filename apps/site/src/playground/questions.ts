import type { AuditReport } from '@cloister/audit'
import type { Metrics } from '@cloister/metrics'
import type { UncheckedSpec } from '@cloister/run'

/** A file that was dropped on the page. */
export interface DroppedFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** Question to a worker: simulate a run, or examine the log of a simulation. */
export type Question =
  | {
      readonly kind: 'simulate'
      readonly spec: UncheckedSpec
      readonly file: DroppedFile | undefined
      /** JavaScript module whose default export is the policy; undefined for a built-in policy. */
      readonly code: string | undefined
    }
  | {
      readonly kind: 'examine'
      readonly log: Uint8Array
      /** The requested run, to be compared with the log; undefined if no code made the log. */
      readonly asked: AskedRun | undefined
    }

/** A requested run, and the file with the run's trace if a file was dropped. */
export interface AskedRun {
  readonly spec: UncheckedSpec
  readonly file: DroppedFile | undefined
}

/** A log, its number of jobs, and the time of the simulation in seconds. */
export interface Simulated {
  readonly log: Uint8Array
  readonly jobs: number
  readonly seconds: number
}

/** Results of audit and measurement of a log. */
export interface Examined {
  readonly audit: AuditReport
  readonly metrics: Metrics
  /** The log as base64 of gzip, for the viewer's page. */
  readonly embedded: string
  readonly seconds: number
}

/** A failure in words, with the place in the code if the place is known. */
export interface Problem {
  readonly message: string
  readonly line: number | undefined
  readonly column: number | undefined
}

export type Answer =
  | { readonly kind: 'simulated'; readonly simulated: Simulated }
  | { readonly kind: 'examined'; readonly examined: Examined }
  | { readonly kind: 'problem'; readonly problem: Problem }
