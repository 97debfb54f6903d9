import { bindPolicy } from '@cloister/placement'
import mosaic from '@cloister/policy-mosaic'
import type { GivenSpec } from '@cloister/run'
import { parseTopology } from '@cloister/topology'
import { Effect } from 'effect'
import { expect, test } from 'vitest'
import { Runs, StoredOutputs, Traces } from '../src/index.ts'
import { tapers } from '../src/ours/tapers.ts'
import { stored } from './experiment-pages.ts'

/** Three hosts of a cluster like Lingjun: two hosts on a leaf of one pod, and a host on a leaf of another pod. */
const hosts = 'ip,DSW,PSW,ASW\na,G1,P1,S1\nb,G1,P2,S1\nc,G1,P1,S1\n'

/** Returns the runs that the experiment asks for. @param leaves file of Lingjun's leaves; undefined if not at hand */
async function planned(leaves: string | undefined): Promise<ReadonlyArray<GivenSpec>> {
  const asked: Array<GivenSpec> = []
  const traces: Traces['Service'] = {
    locate: () => Effect.succeed({ trace: 'synth:16', arrivals: 'zero' }),
    readText: () => Effect.succeed(leaves),
    jobs: () => Effect.succeed([]),
    write: () => Effect.succeed(''),
  }
  const runs: Runs['Service'] = {
    run: (specs) =>
      Effect.sync(() => {
        asked.push(...specs)
        return specs.map(() => undefined)
      }),
    time: () => Effect.succeed(0),
  }
  await Effect.runPromise(
    tapers.pipe(
      Effect.provideService(Traces, traces),
      Effect.provideService(Runs, runs),
      Effect.provideService(StoredOutputs, stored),
    ),
  )
  return asked
}

test('tapers draws absent parts of the stated share five times, and plans Mosaic on each machine that Mosaic serves', async () => {
  const runs = await planned(hosts)
  const sizes = runs
    .filter(({ policy }) => policy === 'jigsaw')
    .map(({ trace, topology }) => {
      const { nodes, levels } = parseTopology(topology)
      return `${trace}: ${nodes} nodes, ${levels[0].links} leaf cables`
    })
  const expected = [
    [1440, 1440],
    [1440, 960],
    [1440, 720],
    [1440, 360],
    [1368, 1440],
    [1152, 1440],
    [864, 1440],
    [1440, 1368],
    [1152, 720],
    [3, 16],
  ]
  expect(sizes).toEqual(
    expected.flatMap(([nodes, cables]) =>
      [1, 2, 3, 4, 5].map((seed) => `synth:16:2000:${seed}: ${nodes} nodes, ${cables} leaf cables`),
    ),
  )
  // Four whole trees and Lingjun have no draws of absent parts; the other five machines have five draws each.
  const topologies = [...new Set(runs.map(({ topology }) => topology))]
  expect(topologies).toHaveLength(5 + 5 * 5)
  for (const topology of topologies) {
    const isPlanned = runs.some((run) => run.topology === topology && run.policy === 'mosaic')
    const bind = () => bindPolicy(mosaic, parseTopology(topology), {})
    if (isPlanned) expect(bind).not.toThrow()
    else expect(bind).toThrow('does not serve')
  }
  expect((await planned(undefined)).length).toBe(runs.length - 5 * 5)
})
