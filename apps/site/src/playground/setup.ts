import type { AuditReport } from '@cloister/audit'
import type { Metrics } from '@cloister/metrics'
import type { RunOptionName, UncheckedSpec } from '@cloister/run'

/** The set-up of two runs: the same jobs on the same machine, under two policies. */
export interface Setup {
  /** Options of a run by their names, as in `cloister simulate`, except the policy. */
  readonly options: { readonly [Name in RunOptionName]?: string }
  readonly policies: readonly [string, string]
  /** Code of the policy that has the name `OWN_CODE` in `policies`; undefined without such code. */
  readonly code: string | undefined
}

/** Name in `policies` of a set-up that stands for the policy in the field `code`. */
export const OWN_CODE = 'own-code'

/** Prefix of the option `trace` if the trace is a file of the user. No link contains the file. */
export const FILE = 'file:'

export const firstSetup: Setup = {
  options: { topology: 'radix:16', trace: 'synth:16:1000', queue: 'easy:50' },
  policies: ['baseline', 'jigsaw'],
  code: undefined,
}

/** Options that no link contains: files, a policy's config, a time limit that a page cannot enforce, and the policy. */
const notInLinks: ReadonlySet<string> = new Set<RunOptionName>([
  'config',
  'matrices',
  'maxPlaceMs',
  'outages',
  'policy',
])
/** Fields of a link that are not options of a run. */
const ofSetup: ReadonlySet<string> = new Set(['a', 'b', 'code'])

/** Returns the set-up as the fragment (`#…`) of a link. */
export function linkOf({ options, policies, code }: Setup): string {
  const fields = new URLSearchParams()
  for (const [name, text] of Object.entries(options)) if (text && !notInLinks.has(name)) fields.set(name, text)
  fields.set('a', policies[0])
  fields.set('b', policies[1])
  if (code !== undefined && policies.includes(OWN_CODE)) fields.set('code', code)
  return `#${fields}`
}

/** Returns the set-up of a link; undefined if the link has none. Wrong values are no error before the run. */
export function setupOf(fragment: string): Setup | undefined {
  const fields = new URLSearchParams(fragment.replace(/^#/, ''))
  const a = fields.get('a')
  const b = fields.get('b')
  if (a === null || b === null) return undefined
  const options = Object.fromEntries([...fields].filter(([name]) => !ofSetup.has(name) && !notInLinks.has(name)))
  return { options: { ...firstSetup.options, ...options }, policies: [a, b], code: fields.get('code') ?? undefined }
}

/** Returns the specification of one of the two runs: the options as values, and the policy. */
export function specOf({ options, policies }: Setup, side: 0 | 1): UncheckedSpec {
  const values = Object.entries(options)
    .filter(([, text]) => text !== '')
    .map(([name, text]) => [name, valueOf(text)])
  return { ...Object.fromEntries(values), policy: policies[side] }
}

function valueOf(text: string): string | number | boolean {
  if (/^-?\d+$/.test(text)) return Number(text)
  return text === 'true' ? true : text === 'false' ? false : text
}

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
