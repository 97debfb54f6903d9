import { readFileSync } from 'node:fs'
import {
  formatArrivals,
  formatFilter,
  formatScenario,
  formatSynthetic,
  parseArrivals,
  parseFilter,
  parseScenario,
  parseSynthetic,
} from '@cloister/workload'
import { parseTopology } from '@cloister/topology'
import { Option, Schema } from 'effect'
import { formatCommunication, parseCommunication } from './communication-option.ts'
import { formatQueue, parseQueue } from './queue-option.ts'
import { routerNames } from './router-option.ts'
import { type RunOptions, defaultRunOptions } from './run-options.ts'

/**
 * One run of an experiment. What is as `simulate` has it by default is left out, and every value is spelled canonically:
 * runs that are the same are the same JSON.
 */
export interface Cell {
  readonly trace: string
  readonly filter?: string
  readonly procsPerNode?: number
  readonly arrivals?: string
  readonly topology: string
  readonly policy: string
  readonly config?: JsonObject
  readonly queue: string
  readonly walltime?: 'trace'
  readonly overrun?: 'kill'
  readonly outages?: string
  readonly requeue?: true
  readonly scenario?: string
  readonly bandwidth?: 'classes'
  readonly communication?: string
  readonly runTimes?: 'communication'
  readonly router?: Exclude<RunOptions['router'], 'none'>
  readonly seed?: number
}

export interface JsonObject {
  readonly [key: string]: Schema.Json
}

const Config: Schema.Codec<JsonObject> = Schema.Record(Schema.String, Schema.Json)
const Count = Schema.Number.check(Schema.isInt(), Schema.isGreaterThan(0))
const Seed = Schema.Number.check(Schema.isInt())

/** The fields of a cell as a user writes them, each with what it has to be. */
export const cellFields = {
  trace: Schema.NonEmptyString,
  filter: Schema.String,
  procsPerNode: Count,
  arrivals: Schema.String,
  topology: Schema.NonEmptyString,
  policy: Schema.Union([Schema.NonEmptyString, Schema.Struct({ name: Schema.NonEmptyString, config: Config })]),
  queue: Schema.NonEmptyString,
  walltime: Schema.Literals(['exact', 'trace']),
  overrun: Schema.Literals(['run-on', 'kill']),
  outages: Schema.NonEmptyString,
  requeue: Schema.Boolean,
  scenario: Schema.NonEmptyString,
  bandwidth: Schema.Literals(['none', 'classes']),
  communication: Schema.NonEmptyString,
  runTimes: Schema.Literals(['fixed', 'communication']),
  router: Schema.Literals(routerNames),
  seed: Seed,
} as const
export type CellField = keyof typeof cellFields

/** A cell as a user writes it: a value for some of the fields. */
export type GivenCell = { readonly [Field in 'trace' | 'topology' | 'policy']: (typeof cellFields)[Field]['Type'] } & {
  readonly [Field in CellField]?: (typeof cellFields)[Field]['Type'] | undefined
}

/** How the runs of an experiment are told apart, in its results too. */
export function cellKey(cell: Cell): string {
  return JSON.stringify(cell)
}

/**
 * The canonical form. `blame` is told the field whose value is not spelled as it has to be.
 *
 * @throws what the readers of the values throw, through `blame`
 */
export function canonicalCell(given: GivenCell, blame: (field: CellField, error: unknown) => never): Cell {
  const spell = <A>(field: CellField, value: A | undefined, canonical: (value: A) => string): string => {
    try {
      return value === undefined ? '' : canonical(value)
    } catch (error) {
      return blame(field, error)
    }
  }
  const filter = spell('filter', given.filter, canonicalFilter)
  const arrivals = spell('arrivals', given.arrivals, (text) => formatArrivals(parseArrivals(text)))
  const scenario = spell('scenario', given.scenario, (text) => formatScenario(parseScenario(text)))
  const communication = spell('communication', given.communication, (text) =>
    formatCommunication(parseCommunication(text)),
  )
  const { name, config } = typeof given.policy === 'string' ? { name: given.policy, config: {} } : given.policy
  return {
    trace: spell('trace', given.trace, (text) =>
      text.startsWith('synth:') ? formatSynthetic(parseSynthetic(text)) : text,
    ),
    ...(filter === '' ? {} : { filter }),
    ...(given.procsPerNode === undefined ? {} : { procsPerNode: given.procsPerNode }),
    ...(arrivals === '' ? {} : { arrivals }),
    topology: spell('topology', given.topology, canonicalTopology),
    policy: name,
    ...(Object.keys(config).length === 0 ? {} : { config: sorted(config) as JsonObject }),
    queue: spell('queue', given.queue ?? defaultRunOptions.queue, (text) => formatQueue(parseQueue(text))),
    ...(given.walltime === 'trace' ? { walltime: given.walltime } : {}),
    ...(given.overrun === 'kill' ? { overrun: given.overrun } : {}),
    ...(given.outages === undefined ? {} : { outages: given.outages }),
    ...(given.requeue === true ? { requeue: given.requeue } : {}),
    ...(scenario === '' || scenario === 'none' ? {} : { scenario }),
    ...(given.bandwidth === 'classes' ? { bandwidth: given.bandwidth } : {}),
    ...(communication === '' || communication === 'none' ? {} : { communication }),
    ...(given.runTimes === 'communication' ? { runTimes: given.runTimes } : {}),
    ...(given.router === undefined || given.router === 'none' ? {} : { router: given.router }),
    ...(given.seed === undefined || given.seed === defaultRunOptions.seed ? {} : { seed: given.seed }),
  }
}

/** A size that is as by default is said too: it stands in place of the one that a preset has. */
function canonicalFilter(text: string): string {
  const filter = parseFilter(text)
  const spelled = formatFilter(filter)
  if (filter.size === undefined || spelled.startsWith('size=')) return spelled
  return spelled === '' ? 'size=requested' : `size=requested,${spelled}`
}

/** A file keeps the path that it is read by. */
function canonicalTopology(text: string): string {
  const { name } = parseTopology(text, (path) => readFileSync(path, 'utf8'))
  return text.startsWith('slurm:') ? text : name
}

/** The same value, the keys of its objects in order. */
function sorted(value: Schema.Json): Schema.Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, member]) => [key, sorted(member)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** What `simulate` would be told for this cell. */
export function runOptions(cell: Cell, traceDir: Option.Option<string>): RunOptions {
  const { filter, procsPerNode, arrivals, config, outages, ...rest } = cell
  return {
    ...defaultRunOptions,
    ...rest,
    traceDir,
    filter: filter ?? '',
    procsPerNode: Option.fromUndefinedOr(procsPerNode),
    arrivals: Option.fromUndefinedOr(arrivals),
    policyConfig: JSON.stringify(config ?? {}),
    outages: Option.fromUndefinedOr(outages),
  }
}

/** The cell in a few words, what is as by default left out. */
export function describeCell({ trace, topology, policy, config, queue, ...rest }: Cell): string {
  const more = Object.entries(rest).map(([field, value]) => `${field} ${String(value)}`)
  return [trace, topology, config === undefined ? policy : `${policy} ${JSON.stringify(config)}`, queue, ...more].join(
    ', ',
  )
}
