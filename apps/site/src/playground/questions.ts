import type { AuditReport } from '@cloister/audit'
import type { Metrics } from '@cloister/metrics'
import type { UncheckedSpec } from '@cloister/run'

/** A file of jobs that the user dropped on the page or chose. */
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
      /** The requested run, with which the log is compared; undefined if the log is not from a user's code. */
      readonly asked: AskedRun | undefined
    }

/** A requested run, and the file with the run's jobs if the user gave a file. */
export interface AskedRun {
  readonly spec: UncheckedSpec
  readonly file: DroppedFile | undefined
}

/** A log, its number of submitted jobs, and the time that the simulation took in seconds. */
export interface Simulated {
  readonly log: Uint8Array
  readonly jobs: number
  readonly seconds: number
}

/** Results of the audit and the metrics of a log, and the time that both took in seconds. */
export interface Examined {
  readonly audit: AuditReport
  readonly metrics: Metrics
  /** The log as base64 of gzip, for the viewer's page. */
  readonly embedded: string
  readonly seconds: number
}

/** A failure in words, with its place in a user's code if the place is known. */
export interface Problem {
  readonly message: string
  readonly line: number | undefined
  readonly column: number | undefined
}

export type Answer =
  | { readonly kind: 'simulated'; readonly simulated: Simulated }
  | { readonly kind: 'examined'; readonly examined: Examined }
  | { readonly kind: 'problem'; readonly problem: Problem }
