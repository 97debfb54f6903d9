import { RecordError } from './record-error.ts'
import { isJsonObject, type JsonObject } from './json.ts'

/** Version of the format that this program writes. */
export const VERSION = 2
/**
 * Features that a header's `requires` may name. Each feature changes the meaning of records, and this program knows all
 * of them.
 */
export const FEATURES: ReadonlySet<string> = new Set(['link_classes', 'part', 'progress'])

/**
 * Converts a record of one version to the next version. A pure function of the record alone. The function keeps `seq`,
 * and the digests of seals, because the sealed bytes are checked before the conversion. A converted header names the
 * next version.
 */
export type Upcaster = (record: JsonObject) => JsonObject

/**
 * Upcasters by the version that each reads. If a version has no upcaster, neither that version nor any earlier version
 * can be read.
 */
export type Upcasters = ReadonlyMap<number, Upcaster>

/** Upcasters of all released versions before the present version. */
export const upcasters: Upcasters = new Map([[1, fromVersion1]])

/**
 * Returns the conversion of records of a version to the present version, through each version in between; undefined for
 * the present version.
 *
 * @throws RecordError if this program does not read the version
 */
export function upcasterFrom(version: number, known: Upcasters): Upcaster | undefined {
  if (version === VERSION) return undefined
  const chain: Upcaster[] = []
  for (let from = version; from < VERSION && known.has(from); from++) chain.push(known.get(from)!)
  if (version > VERSION || chain.length < VERSION - version) throw new RecordError(unread(version, known))
  return (record) => chain.reduce((changed, upcast) => upcast(changed), record)
}

/** Checks the features that a header requires. @throws RecordError that names the first unknown feature */
export function checkRequired(requires: unknown): void {
  if (!Array.isArray(requires)) return
  const unknown = requires.find((feature: unknown) => typeof feature !== 'string' || !FEATURES.has(feature)) as unknown
  if (unknown !== undefined)
    throw new RecordError(
      `the log requires the feature ${JSON.stringify(unknown)}, of which this program knows nothing; a newer program is needed`,
    )
}

function unread(version: number, known: Upcasters): string {
  let oldest = VERSION
  while (known.has(oldest - 1)) oldest--
  const read = oldest === VERSION ? `version ${VERSION}` : `versions ${oldest} to ${VERSION}`
  return `format version ${version}, of which this program knows nothing: it reads ${read}${version > VERSION ? '; a newer program is needed' : ''}`
}

/**
 * Converts a record of version 1. Version 1 had the words `walltime` for estimates, `bw`, `comm`, `why` and
 * `decisions`, and claims in camel case. All logs of version 1 are logs of simulations. The drawing of jobs into
 * classes stood under `x`.
 */
function fromVersion1(record: JsonObject): JsonObject {
  switch (record['type']) {
    case 'header':
      return headerFrom1(record)
    case 'submit':
      return renamed(record, { walltime: 'estimate', bw: 'bandwidth', comm: 'communication' })
    case 'reserve':
      return renamed(record, { bw: 'bandwidth' })
    case 'allocate':
      return renamed(record, { bw: 'bandwidth', walltime: 'estimate' })
    case 'kill':
      return { ...renamed(record, { why: 'code' }), ...(record['why'] === 'walltime' ? { code: 'estimate' } : {}) }
    case 'reject':
      return renamed(record, { why: 'code' })
    default:
      return record
  }
}

function headerFrom1({ topology, policy, queue, walltime, decisions, x, ...rest }: JsonObject): JsonObject {
  const { bandwidth, communication, cut, ...others } = isJsonObject(x) ? x : {}
  const extra = { ...others, ...(cut === undefined ? {} : { window: cut }) }
  const { claims, ...ofPolicy } = isJsonObject(policy) ? policy : {}
  const { order, ...ofQueue } = isJsonObject(queue) ? queue : {}
  return {
    ...rest,
    version: 2,
    revision: 0,
    origin: 'simulated',
    topology: topology!,
    policy: { ...ofPolicy, claims: isJsonObject(claims) ? claimsFrom1(claims) : claims! },
    queue: { order: order === 'walltime' ? 'estimate' : order!, ...ofQueue },
    estimates: walltime === 'trace' ? 'requested' : walltime!,
    refusals: decisions!,
    ...(bandwidth === undefined ? {} : { bandwidth }),
    ...(communication === undefined ? {} : { communication }),
    ...(x === undefined || (isJsonObject(x) && Object.keys(extra).length === 0)
      ? {}
      : { x: isJsonObject(x) ? extra : x }),
  }
}

function claimsFrom1(claims: JsonObject): JsonObject {
  const { links, ...rest } = renamed(claims, {
    fullBandwidth: 'full_bandwidth',
    exactSize: 'exact_size',
    speedup: 'speedup_scenarios',
  })
  return { links: links === 'none' ? 'shared' : links!, ...rest }
}

/** Returns the same fields in the same order, some under new names. */
function renamed(record: JsonObject, names: { readonly [before: string]: string }): JsonObject {
  return Object.fromEntries(Object.entries(record).map(([key, field]) => [names[key] ?? key, field]))
}
