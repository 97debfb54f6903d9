import type { AuditReport } from '@cloister/audit'
import type { Metrics } from '@cloister/metrics'
import type { RunOptionName, UncheckedSpec } from '@cloister/run'
import { type ChosenOutage, outageOfText, outagesText, textOfOutage } from './outages.ts'
import type { FaultState } from './fault-state.ts'

/** The set-up of two runs: the same jobs on the same machine, under two policies. */
export interface Setup {
  /** Options of a run by their names, as in `cloister simulate`, except the policy and the outages. */
  readonly options: { readonly [Name in RunOptionName]?: string }
  readonly policies: readonly [string, string]
  /** Code of the policy that has the name `OWN_CODE` in `policies`; undefined without such code. */
  readonly code: string | undefined
  /** Nodes and links that fail in both runs, in the order of the user's choices. */
  readonly outages: ReadonlyArray<ChosenOutage>
  /** Name of the exercise whose checks test the code; undefined without an exercise. */
  readonly exercise: string | undefined
}

/** Name in `policies` of a set-up that stands for the policy in the field `code`. */
export const OWN_CODE = 'own-code'

/** Prefix of the option `trace` if the trace is a file of the user. No link contains the file. */
export const FILE = 'file:'

/** Set-up of the stored runs. With this set-up, as in `npm start`, jobs wait longer under Jigsaw than under Baseline. */
export const firstSetup: Setup = {
  options: { topology: 'radix:8', trace: 'synth:16:1000', queue: 'easy:50' },
  policies: ['baseline', 'jigsaw'],
  code: undefined,
  outages: [],
  exercise: undefined,
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
const ofSetup: ReadonlySet<string> = new Set(['a', 'b', 'code', 'exercise', 'fail'])

/** Returns the set-up as the fragment (`#…`) of a link. */
export function linkOf({ options, policies, code, outages = [], exercise }: LinkedSetup): string {
  const fields = new URLSearchParams()
  for (const [name, text] of Object.entries(options)) if (text && !notInLinks.has(name)) fields.set(name, text)
  fields.set('a', policies[0])
  fields.set('b', policies[1])
  for (const outage of outages) fields.append('fail', textOfOutage(outage))
  if (!policies.includes(OWN_CODE)) return `#${fields}`
  if (exercise !== undefined) fields.set('exercise', exercise)
  if (code !== undefined) fields.set('code', code)
  return `#${fields}`
}

type LinkedSetup = Pick<Setup, 'options' | 'policies' | 'code'> & Partial<Setup>

/** Returns the set-up of a link; undefined if the link has none. Wrong values are no error before the run. */
export function setupOf(fragment: string): Setup | undefined {
  const fields = new URLSearchParams(fragment.replace(/^#/, ''))
  const a = fields.get('a')
  const b = fields.get('b')
  if (a === null || b === null) return undefined
  const options = Object.fromEntries([...fields].filter(([name]) => !ofSetup.has(name) && !notInLinks.has(name)))
  return {
    options: { ...firstSetup.options, ...options },
    policies: [a, b],
    code: fields.get('code') ?? undefined,
    outages: fields.getAll('fail').flatMap((text) => outageOfText(text) ?? []),
    exercise: fields.get('exercise') ?? undefined,
  }
}

/** Path of the list of outages in the specification of a run. The worker gives the text of the list for this path. */
export const OUTAGES = 'list of failures'

/** Returns one of the two requested runs: its specification, the dropped files, and the text of the outages. */
export function askedRun({ options, policies, outages }: Setup, side: 0 | 1, files: DroppedFiles): AskedRun {
  const values = Object.entries(options)
    .filter(([, text]) => text !== '')
    .map(([name, text]) => [name, valueOf(text)])
  const failing = outages.length === 0 ? {} : { outages: OUTAGES, requeue: true }
  const spec = { ...failing, ...Object.fromEntries(values), policy: policies[side] }
  return { spec, files, outages: outagesText(outages) }
}

function valueOf(text: string): string | number | boolean {
  if (/^-?\d+$/.test(text)) return Number(text)
  return text === 'true' ? true : text === 'false' ? false : text
}

/** A file that the user dropped on the page or chose. */
export interface DroppedFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** Files with the jobs and with the machine of a run, if the user gave the files. */
export interface DroppedFiles {
  readonly jobs?: DroppedFile
  readonly machine?: DroppedFile
}

/** A requested run, the files of the user, and the text of an outage file. */
export interface AskedRun {
  readonly spec: UncheckedSpec
  readonly files: DroppedFiles
  readonly outages: string
}

/** Question to a worker: simulate a run, examine the log of a simulation, or check a policy's code. */
export type Question =
  | {
      readonly kind: 'simulate'
      readonly asked: AskedRun
      /** JavaScript module whose default export is the policy; undefined for a built-in policy. */
      readonly code: string | undefined
    }
  | {
      readonly kind: 'examine'
      readonly log: Uint8Array
      /** The requested run, with which the log is compared; undefined if the log is not from a user's code. */
      readonly asked: AskedRun | undefined
    }
  | { readonly kind: 'check'; readonly code: string; readonly exercise: string }

/** A log, its number of submitted jobs, and the time that the simulation took in seconds. */
export interface Simulated {
  readonly log: Uint8Array
  readonly jobs: number
  readonly seconds: number
  /** Line of the function `place` in a user's code; undefined for a built-in policy, or if the line is unknown. */
  readonly placeLine: number | undefined
}

/** Results of the audit and the metrics of a log, and the time that both took in seconds. */
export interface Examined {
  readonly audit: AuditReport
  readonly metrics: Metrics
  /** Number of nodes of the machine. */
  readonly nodes: number
  /** State at the first violation that the audit found; undefined without a violation. */
  readonly fault: FaultState | undefined
  /** The log as base64 of gzip, for the viewer's page. */
  readonly embedded: string
  readonly seconds: number
}

/** A failure in words, with its place in a user's code if the place is known. */
export interface Problem {
  readonly message: string
  readonly line: number | undefined
  readonly column: number | undefined
  /** Request and state of a policy's fault; absent for other failures. */
  readonly fault?: FaultState
}

/** Result of a named check of a policy's code. `not-run`: a prerequisite of the check failed. */
export interface Checked {
  readonly name: string
  readonly outcome: 'ok' | 'failed' | 'not-run'
  /** Description of the fault; empty unless the check failed. */
  readonly message: string
}

export type Answer =
  | { readonly kind: 'simulated'; readonly simulated: Simulated }
  | { readonly kind: 'examined'; readonly examined: Examined }
  | { readonly kind: 'checked'; readonly checks: ReadonlyArray<Checked> }
  | { readonly kind: 'problem'; readonly problem: Problem }
