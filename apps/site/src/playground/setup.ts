import type { GivenSpec, RunOptionName } from '@cloister/run'

/** What is run twice: the same jobs on the same machine, under two policies. */
export interface Setup {
  /** Options of a run by their names, as `cloister simulate` takes them, but for the policy. */
  readonly options: { readonly [Name in RunOptionName]?: string }
  readonly policies: readonly [string, string]
  /** A policy's code; a policy called `OWN_CODE` is this one. */
  readonly code: string | undefined
}

/** The name under which a policy stands for the code of the set-up. */
export const OWN_CODE = 'own-code'

/** A trace of this name is the file that somebody dropped; no link holds its contents. */
export const FILE = 'file:'

export const firstSetup: Setup = {
  options: { topology: 'radix:16', trace: 'synth:16:1000', queue: 'easy:50' },
  policies: ['baseline', 'jigsaw'],
  code: undefined,
}

/** What no link holds: what names files, what is of one policy alone, and a limit that a page has no thread for. */
const notInLinks: ReadonlySet<string> = new Set<RunOptionName>([
  'config',
  'matrices',
  'maxPlaceMs',
  'outages',
  'policy',
])
/** Fields of a link that are no options. */
const ofSetup: ReadonlySet<string> = new Set(['a', 'b', 'code'])

/** The set-up as the fragment of a link. */
export function linkOf({ options, policies, code }: Setup): string {
  const fields = new URLSearchParams()
  for (const [name, text] of Object.entries(options)) if (text && !notInLinks.has(name)) fields.set(name, text)
  fields.set('a', policies[0])
  fields.set('b', policies[1])
  if (code !== undefined && policies.includes(OWN_CODE)) fields.set('code', code)
  return `#${fields}`
}

/** The set-up of a link; undefined where it has none. What is wrong in it shows when it is run. */
export function setupOf(fragment: string): Setup | undefined {
  const fields = new URLSearchParams(fragment.replace(/^#/, ''))
  const a = fields.get('a')
  const b = fields.get('b')
  if (a === null || b === null) return undefined
  const options = Object.fromEntries([...fields].filter(([name]) => !ofSetup.has(name) && !notInLinks.has(name)))
  return { options: { ...firstSetup.options, ...options }, policies: [a, b], code: fields.get('code') ?? undefined }
}

/** What a run is told: texts as the values that the options have. */
export function specOf({ options, policies }: Setup, side: 0 | 1): GivenSpec {
  const values = Object.entries(options)
    .filter(([, text]) => text !== '')
    .map(([name, text]) => [name, valueOf(text)])
  return { ...Object.fromEntries(values), policy: policies[side] } as GivenSpec
}

function valueOf(text: string): string | number | boolean {
  if (/^-?\d+$/.test(text)) return Number(text)
  return text === 'true' ? true : text === 'false' ? false : text
}
