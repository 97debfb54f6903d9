import { type Header, headerTopology, type LogRecord, LogWriter, readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { jigsaw } from '@cloister/policy-jigsaw'
import { type AnyPolicy, builtIn, type GivenSpec, OptionError, run } from '@cloister/run'
import { nodeInputs, nodeServices } from '@cloister/run/node'
import { Effect } from 'effect'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { checkAsked } from '../src/playground/asked-run.ts'

/** Policy that places jobs on the first free nodes, and allocates no links. */
const toy: AnyPolicy = {
  contract: 1,
  name: 'toy',
  version: '0.1.0',
  config: { '~standard': { version: 1, vendor: 'test', validate: () => ({ value: { of: 'its own' } }) } },
  make: ({ nodes, leaves }) => ({
    claims: {
      links: 'shared',
      fullBandwidth: false,
      exactSize: true,
      monotone: true,
      complete: true,
      speedupScenarios: false,
    },
    place: (state, request) => {
      if (state.freeNodes < request.nodes) return { ok: false, code: 'too-few-nodes', free: state.freeNodes }
      const free = new Int32Array(nodes)
      let found = 0
      for (let leaf = 0; leaf < leaves; leaf++) found += state.freeNodeIds(leaf, free, found)
      return { ok: true, nodes: free.subarray(0, request.nodes), links: [] }
    },
  }),
}

const asked: GivenSpec = { trace: 'synth:8:60', topology: 'radix:8', policy: 'own-code', queue: 'easy:20' }

const folder = mkdtempSync(join(tmpdir(), 'asked-run-'))
afterAll(() => rmSync(folder, { recursive: true }))
const outages = join(folder, 'outages.ndjson')
writeFileSync(
  outages,
  `{"t":600,"type":"down","nodes":"17","links":["","5"]}
{"t":1200,"type":"up","nodes":"17"}
`,
)

/** Returns the log of a run under a policy. */
async function logOf(policy: AnyPolicy, spec: GivenSpec = asked): Promise<Uint8Array> {
  const chunks: Array<Uint8Array> = []
  const given = { ...spec, policy: policy.name }
  const services = nodeServices({ policies: [policy] })
  await Effect.runPromise(run(given, { sink: (chunk) => chunks.push(chunk) }).pipe(Effect.provide(services)))
  return Buffer.concat(chunks)
}

/** Returns a log, sealed again, after a change or a removal of each record by `change`. */
function forged(log: Uint8Array, change: (record: LogRecord) => LogRecord | undefined): Uint8Array {
  const chunks: Array<Uint8Array> = []
  const [first, ...records] = readLog([log], sha256)
  const header = (change(first) ?? first) as Header
  const writer = new LogWriter(header, headerTopology(header), (chunk) => chunks.push(chunk), sha256)
  for (const record of records) {
    const changed = record.type === 'seal' ? undefined : change(record)
    if (changed !== undefined && changed.type !== 'header' && changed.type !== 'seal' && changed.type !== 'unknown')
      writer.append(changed)
  }
  return Buffer.concat(chunks)
}

const check = (log: Uint8Array, spec: GivenSpec = asked): Promise<void> =>
  checkAsked(log, spec, sha256, nodeInputs(), (name) => {
    const policy = [toy, jigsaw].find((each) => each.name === name)
    return policy === undefined
      ? Effect.fail(new OptionError({ option: 'policy', reason: `found ${name}` }))
      : Effect.succeed({ policy, origin: builtIn })
  })

test.each<readonly [string, AnyPolicy, GivenSpec]>([
  ['a policy with links of its own', jigsaw, asked],
  ['a policy with shared links', toy, asked],
  ['a scenario', jigsaw, { ...asked, scenario: 'v1' }],
  ['failures', toy, { ...asked, outages, requeue: true }],
  ['kills at estimates', toy, { ...asked, estimates: 'requested', overrun: 'kill' }],
  [
    'run times by contention',
    toy,
    { ...asked, overrun: 'run-on', communication: '90%:recursive-doubling:50%', runTimes: 'contention' },
  ],
])('`checkAsked` accepts the log of the requested run with %s', async (_, policy, spec) => {
  await check(await logOf(policy, spec), spec)
})

test.each<readonly [string, GivenSpec, RegExp]>([
  [
    'other jobs',
    { ...asked, trace: 'synth:8:59' },
    /the log's header has workload .*"jobs":59.*, expected .*"jobs":60/,
  ],
  ['another machine', { ...asked, topology: 'radix:10' }, /the log's header has (topology|workload) /],
  ['a failure', { ...asked, outages }, /record \d+ is down at 600 s, expected no further failure/],
  ['another queue', { ...asked, queue: 'fcfs' }, /the log's header has options\.queue "fcfs", expected "easy:20"/],
])('`checkAsked` refuses a log of a different run, with %s', async (_, spec, message) => {
  await expect(check(await logOf(jigsaw, spec))).rejects.toThrow(message)
})

test.each<readonly [string, (record: LogRecord) => LogRecord | undefined, RegExp]>([
  [
    'options (a seed)',
    (record) => (record.type === 'header' ? { ...record, options: { ...record.options, seed: 7 } } : record),
    /the log's header has options\.seed 7, expected nothing/,
  ],
  [
    'origin',
    (record) => (record.type === 'header' ? { ...record, origin: 'observed' } : record),
    /the log's header has origin "observed", expected "simulated"/,
  ],
  [
    'sizes of jobs',
    (record) => (record.type === 'submit' ? { ...record, size: 1 } : record),
    /record \d+ submits job \d+, expected job \d+ of \d+ nodes/,
  ],
  [
    'run times',
    (record) => (record.type === 'header' || record.type === 'submit' ? record : { ...record, t: 0 }),
    /in record \d+ job \d+ ran for 0 s, expected [\d.]+ s/,
  ],
])('`checkAsked` refuses a log of the requested run with forged %s', async (_, change, message) => {
  await expect(check(forged(await logOf(jigsaw), change))).rejects.toThrow(message)
})

test('`checkAsked` refuses a log that lacks a requested failure', async () => {
  await expect(check(await logOf(toy), { ...asked, outages })).rejects.toThrow(/expected down at 600 s/)
})
