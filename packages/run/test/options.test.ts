import { traceManifest } from '@cloister/trace-io'
import { parseFilter } from '@cloister/workload'
import { Effect } from 'effect'
import { describe, expect, it } from 'vitest'
import {
  canonicalSpec,
  commandWords,
  flagOf,
  type GivenSpec,
  headerOf,
  optionOf,
  parseExperiment,
  prepare,
  type RunOptionName,
  runOptionNames,
  type RunSpec,
} from '../src/index.ts'
import { filesOf, inMemory } from './memory.ts'

const least: GivenSpec = { trace: 'synth:4:60', topology: 'radix:6', policy: 'jigsaw' }
const texts = {
  hosts: 'n[0-15]\n',
  'outages.ndjson': '{"t":60,"type":"down","nodes":"3"}\n',
  'pair.txt': '0 9000\n9000 0\n',
  'three.txt': '0,1,2\n1,0,3\n2,3,0\n',
}
const files = filesOf(texts)
const every = runOptionNames.flatMap((name) => optionOf(name).samples.map((sample) => [name, sample] as const))

function withSample(name: RunOptionName, sample: unknown): RunSpec {
  // An experiment refuses to draw weeks from jobs that arrive at once.
  const arrivals = name === 'resample' ? { arrivals: 'trace' } : {}
  return canonicalSpec({ ...least, ...arrivals, [name]: sample }, files)
}

describe('every option', () => {
  it.each(every)('the option %s with the value %j has one canonical spelling', (name, sample) => {
    const spec = withSample(name, sample)
    expect(canonicalSpec(spec, files)).toEqual(spec)
    expect(spec[name]).toBeDefined()
  })

  it.each(every)('the option %s with the value %j means the same in an experiment', (name, sample) => {
    const spec = withSample(name, sample)
    expect(parseExperiment(JSON.stringify({ cells: [spec] }), files)).toEqual([spec])
    expect(parseExperiment(JSON.stringify({ cells: [{ ...spec, [name]: [spec[name]] }] }), files)).toEqual([spec])
  })

  it.each(every)('the option %s with the value %j is in the printed command', (name, sample) => {
    expect(commandWords(withSample(name, sample))).toContain(`--${flagOf(name)}`)
  })

  it('every option has help and samples', () => {
    for (const name of runOptionNames) {
      expect(optionOf(name).help).not.toBe('')
      expect(optionOf(name).samples.length).toBeGreaterThan(0)
    }
  })

  it('the help of the option `trace` names every preset', () => {
    for (const { preset } of traceManifest().logs) expect(optionOf('trace').help).toContain(preset)
  })

  it('the help of the option `filter` shows dates, users and alternatives in a form that parses', () => {
    const [, shown] = /'(.*)'/.exec(optionOf('filter').help)!
    expect(parseFilter(shown)).toMatchObject({ from: expect.any(Number), until: expect.any(Number) })
    expect(parseFilter(shown).alternatives?.flat()).toContainEqual({ field: 'user', operator: '=', value: 3 })
  })

  it('every option has a unique flag', () => {
    expect(flagOf('procsPerNode')).toBe('procs-per-node')
    expect(flagOf('config')).toBe('policy-config')
    expect(new Set(runOptionNames.map(flagOf)).size).toBe(runOptionNames.length)
  })
})

/**
 * Options without a header field of their own. The effect is in other parts of the log: jobs, machine, policy, outages,
 * or the fault of a policy beyond a limit.
 */
const shownElsewhere: ReadonlyArray<RunOptionName> = [
  'trace',
  'skipBadLines',
  'arrivesWhen',
  'timeZone',
  'columns',
  'topology',
  'policy',
  'outages',
  'maxPlaceMs',
]

describe("a log's header", () => {
  const header = (spec: RunSpec): Promise<string> =>
    Effect.runPromise(
      prepare(spec).pipe(
        Effect.map((run) => JSON.stringify(headerOf(run, 'test@1.0.0'))),
        Effect.provide(inMemory(texts)),
      ),
    )
  /** Further options for an effect of an option on the run, by the name of the option. */
  const beside: Partial<Record<RunOptionName, Partial<GivenSpec>>> = {
    matrices: { communication: '90%:recursive-doubling:50%' },
    runTimes: { communication: '90%:recursive-doubling:50%', overrun: 'run-on' },
    cost: { communication: '90%:recursive-doubling:50%', runTimes: 'communication' },
    costsFrom: { communication: '90%:recursive-doubling:50%' },
    seed: { bandwidth: 'classes' },
    unroutable: { router: 'd-mod-k' },
    orderConfig: { order: 'fair-share' },
  }

  it.each(runOptionNames.filter((name) => !shownElsewhere.includes(name)))(
    "a log's header depends on the option %s",
    async (name) => {
      const given = { ...least, ...beside[name] }
      const plain = await header(canonicalSpec(given, files))
      const last = optionOf(name).samples.at(-1)
      expect(await header(canonicalSpec({ ...given, [name]: last }, files))).not.toBe(plain)
    },
  )

  it('the machine of a run has the node names of the file in SPEC@FILE', async () => {
    const spec = canonicalSpec({ ...least, topology: 'radix:4@hosts' }, files)
    expect(spec.topology).toBe('radix:4@hosts')
    const { topology } = await Effect.runPromise(prepare(spec).pipe(Effect.provide(inMemory(texts))))
    expect(topology.nodeNames).toHaveLength(16)
    expect(topology.nodeNames?.[15]).toBe('n15')
  })

  it("a log's header is the same for every seed if the run draws nothing", async () => {
    const plain = await header(canonicalSpec(least, files))
    expect(await header(canonicalSpec({ ...least, seed: 7 }, files))).toBe(plain)
  })
})
