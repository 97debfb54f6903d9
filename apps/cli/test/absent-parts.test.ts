import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { checkRun, fuzzCases, specOf } from '@cloister/fuzz'
import { Files, fileSystem } from '@cloister/run/node'
import { formatTopologyConf, parseTopology, type Topology, TopologyError } from '@cloister/topology'
import { Console, Effect } from 'effect'
import * as fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { tester } from '../src/commands/fuzz/search.ts'
import { nodePolicyLookup } from '../src/policy/policy-lookup.ts'
import { prepareRun } from '../src/run/prepare-run.ts'
import { allPolicies } from './all-policies.ts'
import { Folder } from './cloister.ts'

/** Sizes of the leaves of a public cluster. */
const uneven = [1, 1, 2, 2, 2, 3, 3, 3, 5, 5, 6, 6, 6, 8, 11]

const folder = mkdtempSync(join(tmpdir(), 'cloister-absent-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const shapes = [
  'radix:4',
  'radix:6',
  'pgft:3;4,3,3;1,2,2;1,1,1',
  'pgft:3;4,4,3;1,4,2;1,1,2',
  'pgft:3;8,3,2;1,2,3;1,1,1',
  'pgft:2;6,5;1,3;1,2',
  'kary:2:4',
]

/** Random trees without up to 40 % of the nodes, 20 % of the cables, and up to one switch of each level. */
const machines: fc.Arbitrary<Topology> = fc
  .constantFrom(...shapes)
  .chain((shape) => {
    const { nodes, levels } = parseTopology(shape)
    const some = (count: number, share: number): fc.Arbitrary<number[]> =>
      fc
        .integer({ min: 0, max: Math.floor(count * share) })
        .chain((length) => fc.uniqueArray(fc.nat(count - 1), { minLength: length, maxLength: length }))
    const names = ['leaf', 'L2', 'spine', 'L4']
    const ofLevel = levels.map(({ switches, links }, level) =>
      fc
        .tuple(fc.option(fc.nat(switches - 1), { nil: undefined }), links === 0 ? fc.constant([]) : some(links, 0.2))
        .map(([sw, cables]) => [
          ...(sw === undefined || switches === 1 ? [] : [`${names[level]} ${sw}`]),
          ...cables.map(
            (link) =>
              `${names[level]} ${Math.floor(link / levels[level].firstPort[1])} ports ${link % levels[level].firstPort[1]}`,
          ),
        ]),
    )
    return fc
      .tuple(some(nodes, 0.4), ...ofLevel)
      .map(([absent, ...parts]) =>
        machineOf(shape, [...(absent.length === 0 ? [] : [`nodes ${absent.join()}`]), ...parts.flat()]),
      )
  })
  .filter((machine) => machine?.envelope !== undefined) as fc.Arbitrary<Topology>

/** Returns the machine, or undefined if no switch of a level is left. */
function machineOf(shape: string, parts: ReadonlyArray<string>): Topology | undefined {
  try {
    return parseTopology(`${shape} without ${parts.join('; ')}`)
  } catch (error) {
    if (error instanceof TopologyError) return undefined
    throw error
  }
}

/**
 * Writes a machine as a topology.conf with other names of the switches, and with the lines in another order. Returns
 * undefined for a machine that cables do not connect, because no tree contains the switches of the file.
 */
function shuffled(machine: Topology): string | undefined {
  const renamed = formatTopologyConf(machine).replaceAll('leaf', 'rack').replaceAll('spine', 'core')
  const lines = renamed.trim().split('\n')
  const text = lines.toSorted((a, b) => (a > b ? -1 : 1)).join('\n')
  if (parseTopology('slurm:topology.conf', () => text).irregularity !== undefined) return undefined
  const path = join(folder, 'topology.conf')
  writeFileSync(path, text)
  return `slurm:${path}`
}

describe('a machine with absent parts', () => {
  it.each(allPolicies)(
    'the policy %s serves every such machine, and the audit and the rerun find no fault',
    async (policy) => {
      const files = await Effect.runPromise(Effect.provide(Files, fileSystem))
      const silent = Object.assign(Object.create(console), { log: () => {}, error: () => {} })
      const path = resolve(import.meta.dirname, `../../../packages/policies/${policy}/src/index.ts`)
      const drawn = machines.chain((machine) =>
        fc.record({
          machine: fc.constant(machine),
          one: fuzzCases([{ policy: path, policyConfig: '{}' }], [{ topology: machine.name, nodes: machine.nodes }]),
          isShuffled: fc.boolean(),
        }),
      )
      let runs = 0
      for (const { machine, one, isShuffled } of fc.sample(drawn, { seed: 11, numRuns: 36 })) {
        const spec = specOf(
          { ...one, options: { ...one.options, router: undefined, unroutable: undefined, runTimes: undefined } },
          folder,
          files,
        )
        const topology = (isShuffled ? shuffled(machine) : undefined) ?? machine.name
        const run = await Effect.runPromise(
          Effect.result(prepareRun({ ...spec, topology }, undefined)).pipe(
            Effect.provide([nodePolicyLookup([]), fileSystem]),
            Effect.provideService(Console.Console, silent),
          ),
        )
        // Some drawn options contradict each other, and some whole trees are not served. No machine is refused for its
        // absent parts.
        if (run._tag === 'Failure') {
          expect(String(run.failure)).not.toMatch(/parts of its tree are absent|switch graph/)
          continue
        }
        runs++
        const { fault } = checkRun(run.success, tester)
        expect(fault, machine.name).toBeUndefined()
      }
      expect(runs).toBeGreaterThanOrEqual(policy === 'mosaic' ? 5 : 12)
    },
  )
  it('topology show prints the whole tree and the absent parts, and the header of a log has both', async () => {
    const scratch = new Folder()
    const lines = uneven.map((size, leaf) => `SwitchName=s${leaf} Nodes=n${leaf}-[1-${size}]\n`)
    scratch.write('uneven.conf', `${lines.join('')}SwitchName=top Switches=s[0-14]\n`)
    expect(await scratch.json('topology', 'show', 'slurm:uneven.conf')).toMatchObject({
      nodes: 64,
      leaves: 15,
      envelope: { m: [11, 15], w: [1, 1], p: [1, 1] },
    })
    const run = ['--trace', 'synth:4:50', '--topology', 'slurm:uneven.conf', '--policy', 'contiguous']
    expect(await scratch.cloister('simulate', ...run, '--out', 'run.ndjson')).toMatchObject({ code: 0 })
    expect(await scratch.json('audit', 'run.ndjson')).toMatchObject({ ok: true })
    const header = JSON.parse(readFileSync(join(scratch.path, 'run.ndjson'), 'utf8').split('\n', 1)[0])
    expect(header).toMatchObject({
      requires: ['absent'],
      topology: { envelope: { m: [11, 15], w: [1, 1], p: [1, 1] } },
    })
  })

  it('policy show names the largest job that a policy places', async () => {
    const scratch = new Folder()
    const spec = 'radix:4 without nodes 0,5; leaf 3'
    expect(await scratch.json('policy', 'show', 'contiguous', '--topology', spec)).toMatchObject({ largestJob: 12 })
    expect(await scratch.json('policy', 'show', 'jigsaw', '--topology', spec)).toMatchObject({ largestJob: 12 })
    expect(await scratch.json('policy', 'show', 'mosaic', '--topology', 'radix:4')).toHaveProperty('largestJob')
  })
})

it('regression: audit took a whole leaf of a tapered machine with absent nodes for a leaf with too few nodes', async () => {
  const scratch = new Folder()
  const conf = ['a Nodes=n[0-3]', 'b Nodes=n[4-5]', 'c Nodes=n[6-10]', 'ab Switches=a,b', 'top Switches=ab,c']
  scratch.write('uneven.conf', conf.map((line) => `SwitchName=${line}\n`).join(''))
  const sharing = ['--policy', 'laas', '--policy-config', '{"sharing":{"capacity":2500}}']
  // Submit time, run time and size of each job. The last job gets a node of two leaves, each with one uplink.
  const jobs = [[0, 1, 2], [0, 7, 4], [0, 6, 4], [6, 0, 1], [6, 0, 2]] // prettier-ignore
  const fields = jobs.map(([submit, time, size], at) => [at + 1, submit, -1, time, size, -1, -1, size, -1, -1, 1])
  scratch.write('trace.swf', fields.map((each) => `${[...each, ...Array(7).fill(-1)].join(' ')}\n`).join(''))
  const run = ['--trace', 'trace.swf', '--estimates', 'exact', '--topology', 'slurm:uneven.conf', ...sharing]
  expect(await scratch.cloister('simulate', ...run, '--out', 'run.ndjson')).toMatchObject({ code: 0 })
  expect(await scratch.json('audit', 'run.ndjson')).toMatchObject({ ok: true })
})
