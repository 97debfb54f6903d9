import { parseTopology, switchGraph, type Topology } from '@cloister/topology'
import fc from 'fast-check'
import { type Json, type LogHeader, LogWriter, type RecordedEvent, type Recorder } from '../src/index.ts'
import { sha256 } from '../src/node/index.ts'
import { FEATURES } from '../src/records/versions.ts'

/**
 * Topology with leaves of uneven sizes, two cables from an L2 switch to one spine, and node names without a pattern.
 */
const graph = switchGraph({
  name: 'slurm:uneven',
  leaves: [3, 1, 2],
  parents: [
    [[0, 1], [0], [1]],
    [[0, 0], [0]],
  ],
  nodeNames: ['n3', 'n1', 'n2', 'login', 'x07', 'x08'],
})
export const topologies: ReadonlyArray<Topology> = [
  parseTopology('radix:4'),
  parseTopology('pgft:2;3,2;1,2;1,2'),
  parseTopology('pgft:1;5;1;1'),
  graph,
  parseTopology('pgft:2;3,3;1,2;1,1 without nodes 2,4; leaf 1 ports 0'),
]

export function sampleHeader(
  changes: Partial<LogHeader> = {},
  links: 'owned' | 'capped' | 'shared' = 'owned',
): LogHeader {
  return {
    workload: { name: 'sample', filter: '', jobs: 3, sha256: '0123456789abcdef'.repeat(4) },
    policy: {
      name: 'sample',
      version: '1.0.0',
      config: {},
      claims: {
        links,
        full_bandwidth: false,
        exact_size: true,
        monotone: true,
        complete: true,
        speedup_scenarios: false,
      },
      ...(links === 'capped' ? { link_capacity: 4000 } : {}),
    },
    requires: [...FEATURES].sort(),
    origin: 'simulated',
    options: { arrivals: 'trace', queue: 'easy:50', estimates: 'requested', refusals: true },
    seal_every: 8,
    program: 'cloister@1.0.0',
    ...changes,
  }
}

/** One call to a recorder. */
export type Call = (recorder: Recorder) => number

/** Writes a log with a LogWriter. */
export function writeLog(header: LogHeader, topology: Topology, calls: ReadonlyArray<Call>): Uint8Array {
  const chunks: Uint8Array[] = []
  const writer = new LogWriter(header, topology, (chunk) => chunks.push(chunk), sha256)
  for (const call of calls) call(writer)
  return concat(chunks)
}

export function concat(chunks: ReadonlyArray<Uint8Array>): Uint8Array {
  return new Uint8Array(Buffer.concat(chunks))
}

export const natural = fc.oneof(fc.nat(12), fc.nat(), fc.maxSafeNat())
export const milliseconds = fc.oneof(fc.nat(5000), fc.nat(), fc.integer({ min: 0, max: 1e15 }))
export const text = fc.oneof(
  fc.constantFrom('', '2001', '17', 'a', '"\\', '\u007f', '\n\u0001', 'é', '漢字', '😀', '\ud800', '__proto__'),
  fc.string({ unit: 'binary', maxLength: 5 }),
)
/** Job ids, mostly one of three, so that many releases follow an allocate of the same job. */
export const job = fc.oneof({ weight: 9, arbitrary: fc.constantFrom('1', '2', '3') }, { weight: 1, arbitrary: text })
export function idsBelow(count: number): fc.Arbitrary<ArrayLike<number>> {
  if (count === 0) return fc.constant([])
  return fc.uniqueArray(fc.nat(count - 1), { maxLength: 12 }).chain((values) => {
    const sorted = values.sort((a, b) => a - b)
    return fc.constantFrom<ArrayLike<number>>(sorted, Int32Array.from(sorted))
  })
}
/** Returns some nodes and links of a machine; an empty level may follow. */
function partsOf({ nodes, levels }: Topology) {
  const counts = [...levels.map(({ links }) => links), 0]
  const links = fc
    .nat(counts.length)
    .chain((length) => fc.tuple(...counts.slice(0, length).map((count) => idsBelow(count))))
  return { nodes: idsBelow(nodes), links }
}
export const json: fc.Arbitrary<Json> = fc
  .jsonValue({ maxDepth: 2 })
  .map((value) => JSON.parse(JSON.stringify(value)) as Json)
export const digest = fc.constantFrom('A'.repeat(43), `${'-_9'.repeat(14)}z`)

/** Returns the calls with events of a type: `required` and `optional` have the values of the fields. */
function callsOf(
  type: RecordedEvent['type'],
  required: { readonly [field: string]: fc.Arbitrary<unknown> },
  optional: { readonly [field: string]: fc.Arbitrary<unknown> } = {},
): fc.Arbitrary<Call> {
  const fields = { type: fc.constant(type), t: milliseconds, ...required }
  return fc
    .record({ ...fields, ...optional }, { requiredKeys: Object.keys(fields) as Array<keyof typeof fields> })
    .map((event) => (to) => to.record(event as unknown as RecordedEvent))
}

function callOn(topology: Topology): fc.Arbitrary<Call> {
  const parts = partsOf(topology)
  const caused = { job, cause: natural }
  return fc.oneof(
    callsOf(
      'submit',
      { job, size: natural },
      {
        estimate: milliseconds,
        walltime: milliseconds,
        name: text,
        user: text,
        account: text,
        queue: text,
        qos: text,
        advance_reservation: text,
        priority: natural.map((number) => number + 1),
        gpus: fc.integer({ min: 1 }),
        array: text,
        array_task: natural,
        het_job: text,
        het_offset: natural,
        bandwidth: natural,
        communication: fc.record({ pattern: text, share: fc.nat(1000) }),
        smaller_than_node: fc.constant(true),
      },
    ),
    callsOf('cancel', { job }),
    callsOf('finish', caused, { status: fc.constantFrom('failed', undefined) }),
    callsOf('down', parts),
    callsOf('up', parts),
    callsOf('reserve', { ...caused, start: milliseconds, ...parts }, { bandwidth: natural }),
    callsOf('unreserve', { ...caused, for: natural }),
    callsOf(
      'allocate',
      { ...caused, ...parts },
      {
        ranks: fc.array(fc.nat(20), { maxLength: 4 }),
        bandwidth: natural,
        estimate: milliseconds,
        gpus: fc.integer({ min: 1 }),
        started_by: fc.constantFrom('main', 'backfill', 'submit'),
        backfill: natural,
        note: json,
      },
    ),
    callsOf('release', caused),
    callsOf(
      'route',
      { cause: natural },
      { job, entries: fc.constantFrom(['0 0:0'], ['0-1 0-1:0+2', '3 0-3:-']), undo: natural, unroutable: text },
    ),
    callsOf('kill', {
      ...caused,
      code: fc.constantFrom('estimate', 'reservation', 'node-down', 'unroutable', 'cancel'),
    }),
    callsOf('requeue', caused),
    callsOf('reject', { ...caused, code: text, constraint: text }),
    callsOf('refuse', { ...caused, code: text, constraint: text }, { nearest: json }),
  )
}
const end = callsOf('end', {
  submitted: natural,
  started: natural,
  finished: natural,
  rejected: natural,
  killed: natural,
  cancelled: natural,
})

/** Returns any calls of a recorder for a machine, in any order, even a senseless order, and last a call of `end`. */
export function anyCallsOn(topology: Topology): fc.Arbitrary<ReadonlyArray<Call>> {
  return fc
    .tuple(fc.array(callOn(topology), { maxLength: 60, size: 'max' }), end)
    .map(([calls, last]) => [...calls, last])
}

/** A router; its claims do not matter to a reader. */
export const router = {
  name: 'some',
  version: '1.0.0',
  claims: { links: 'shared', changes: 'any' },
  reroutes: true,
} as const

const anyOptions: fc.Arbitrary<LogHeader['options']> = fc
  .record(
    { refusals: fc.constant(true), seed: fc.maxSafeInteger(), scenario: text },
    { requiredKeys: [], noNullPrototype: true },
  )
  .map((options) => ({ arrivals: 'trace', queue: 'easy:50', estimates: 'requested', ...options }))

export const anyHeader: fc.Arbitrary<LogHeader> = fc
  .tuple(
    fc.constantFrom('owned' as const, 'capped' as const, 'shared' as const),
    fc.record({ seal_every: fc.integer({ min: 2, max: 20 }), options: anyOptions }),
    fc.record(
      { epoch: fc.integer(), router: fc.constant(router), x: fc.dictionary(fc.string(), json) },
      { requiredKeys: [] },
    ),
  )
  .map(([links, required, optional]) => sampleHeader({ ...required, ...optional }, links))
export const anyTopology: fc.Arbitrary<Topology> = fc.constantFrom(...topologies)
/** Any topology of `topologies`, with any calls of a recorder. */
export const anyRun: fc.Arbitrary<readonly [Topology, ReadonlyArray<Call>]> = anyTopology.chain((topology) =>
  fc.tuple(fc.constant(topology), anyCallsOn(topology)),
)
