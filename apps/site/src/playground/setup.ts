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

/** Which options a link can hold: those of which none names a file. That none is forgotten, the compiler sees. */
const inLinks: { readonly [Name in RunOptionName]: boolean } = {
  trace: true,
  filter: true,
  procsPerNode: true,
  skipBadLines: true,
  arrivals: true,
  arrivesWhen: true,
  timeZone: true,
  resample: true,
  topology: true,
  policy: false,
  config: false,
  queue: true,
  reservation: true,
  windowOrder: true,
  replan: true,
  movers: true,
  estimates: true,
  overrun: true,
  outages: false,
  requeue: true,
  scenario: true,
  bandwidth: true,
  communication: true,
  matrices: false,
  runTimes: true,
  router: true,
  maxPlaceMs: false,
  seed: true,
  refusals: true,
}
const shown = (Object.keys(inLinks) as ReadonlyArray<RunOptionName>).filter((name) => inLinks[name])

/** The set-up as the fragment of a link. */
export function linkOf({ options, policies, code }: Setup): string {
  const fields = new URLSearchParams()
  for (const name of shown) if (options[name]) fields.set(name, options[name])
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
  const options = Object.fromEntries(
    shown.flatMap((name) => {
      const value = fields.get(name)
      return value === null ? [] : [[name, value]]
    }),
  )
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
