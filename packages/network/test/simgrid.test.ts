/** Compares rates with SimGrid, which shares links max-min fairly with independent code. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  DirectedLinks,
  dModK,
  type FlowPaths,
  FlowPathsBuilder,
  maxMinRates,
  randomUpPorts,
  routedPaths,
} from '../src/index.ts'
import { parseTopology, seededDraws, type Topology } from '@cloister/topology'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const missing = whatIsMissing()

function whatIsMissing(): string | undefined {
  const compiled = spawnSync('g++', ['-std=c++17', '-fsyntax-only', '-x', 'c++', '-include', 'simgrid/s4u.hpp', '-'], {
    input: '',
  })
  return compiled.status === 0
    ? undefined
    : 'SimGrid is not installed: apt-get install --no-install-recommends g++ libsimgrid-dev'
}

/** Returns flows and capacities in the input format of simgrid.cpp. */
function caseOf({ flows, first, links }: FlowPaths, capacity: Float64Array): string {
  const paths = Array.from({ length: flows }, (_, flow) => {
    const own = links.subarray(first[flow], first[flow + 1])
    return `${own.length} ${own.join(' ')}`
  })
  return [`${capacity.length} ${flows}`, ...capacity, ...paths].join('\n')
}

/** Draws flows between nodes at any distance, on links of several capacities. */
function randomFlows(topology: Topology, seed: number): { readonly paths: FlowPaths; readonly capacity: Float64Array } {
  const draw = seededDraws(seed)
  const links = new DirectedLinks(topology, { node: 3 + draw(9), levels: [1 + draw(9), 1 + draw(9)] })
  const builder = new FlowPathsBuilder()
  const routes = seed % 2 === 0 ? dModK(topology) : randomUpPorts(topology, seed)
  const path = routedPaths(topology, links, routes)
  const flows = 1 + draw(60)
  while (builder.flows < flows) {
    const [from, to] = [draw(topology.nodes), draw(topology.nodes)]
    if (from !== to) builder.add(path, from, to)
  }
  return { paths: builder.build(), capacity: links.capacity }
}

describe.skipIf(missing !== undefined)(
  `maxMinRates gives the rates of SimGrid${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'cloister-simgrid-'))
    const program = join(folder, 'rates')
    beforeAll(() => {
      execFileSync('g++', ['-O1', '-std=c++17', '-o', program, join(import.meta.dirname, 'simgrid.cpp'), '-lsimgrid'])
    })
    afterAll(() => rmSync(folder, { recursive: true, force: true }))

    test.each(['radix:4', 'radix:6', 'pgft:3;3,3,3;1,2,2;1,1,2', 'kary:2:4'])(
      'maxMinRates gives the rates of SimGrid for flows on the topology %s, to nine digits',
      (spec) => {
        const topology = parseTopology(spec)
        for (let seed = 0; seed < 15; seed++) {
          const { paths, capacity } = randomFlows(topology, seed)
          const output = execFileSync(program, ['--log=xbt_cfg.thres:warning'], {
            input: caseOf(paths, capacity),
            encoding: 'utf8',
          })
          const theirs = output.trim().split('\n').map(Number)
          const ours = maxMinRates(paths, capacity)
          expect(theirs.length).toBe(paths.flows)
          for (const [flow, rate] of theirs.entries()) expect(Math.abs(ours[flow] - rate) / rate).toBeLessThan(1e-9)
        }
      },
    )
  },
)
