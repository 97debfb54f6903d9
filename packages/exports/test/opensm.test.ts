import { LogState, type LogRecord, LogWriter, readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { describeRun, optionsOfRules, simulate } from '@cloister/kernel'
import { bindPolicy, type ForwardingTables } from '@cloister/placement'
import { jigsaw } from '@cloister/policy-jigsaw'
import { mosaic } from '@cloister/policy-mosaic'
import { partitionRouter } from '@cloister/network'
import { parseTopology, type Topology, upPorts } from '@cloister/topology'
import { generateSynthetic } from '@cloister/workload'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { opensmFiles } from '../src/index.ts'
import { linkAt, linksOf, SimulatedFabric, whatFabricLacks } from '@cloister/slurm-cluster'

const topology = parseTopology('radix:8')

/** Simulates 60 jobs under a policy that isolates jobs, and returns the log. */
function shortLog(policy: typeof jigsaw | typeof mosaic): ReadonlyArray<LogRecord> {
  const bound = bindPolicy<any, any>(policy, topology)
  const workload = generateSynthetic({ mean: 12, count: 60, seed: 5 })
  const queue = { backfill: 'easy', window: 50 } as const
  const chunks: Array<Uint8Array> = []
  const recorder = new LogWriter(
    describeRun({
      workload,
      bound,
      program: 'test',
      options: optionsOfRules({ queue, estimates: 'exact', overrun: 'run-on', refusals: false }, 'zero'),
    }),
    topology,
    (chunk) => chunks.push(chunk),
    sha256,
  )
  simulate({
    topology,
    policyName: policy.name,
    placer: bound.placer,
    workload,
    queue,
    estimates: 'exact',
    overrun: 'run-on',
    refusals: false,
    recorder,
  })
  return [...readLog(chunks, sha256)]
}

/**
 * State of the machine after some records of a log, with the forwarding tables of the partition router for this state.
 */
class Replay {
  readonly state: LogState
  readonly tables: ForwardingTables
  readonly #records: ReadonlyArray<LogRecord>
  #next = 1

  constructor(records: ReadonlyArray<LogRecord>) {
    const [header] = records
    const tables = partitionRouter().make(topology)
    if (header.type !== 'header' || 'unsupported' in tables) throw new Error('a log begins with its header')
    this.state = new LogState(header)
    this.tables = tables
    this.#records = records
  }

  /** Applies records of the log until the given number of jobs have started. */
  until(starts: number): void {
    for (let started = 0; started < starts && this.#next < this.#records.length; this.#next++) {
      const record = this.#records[this.#next]
      this.state.apply(record)
      if (record.type === 'release') this.tables.end(record.job)
      if (record.type !== 'allocate') continue
      const change = this.tables.start(record.job, this.state.running.get(record.job)!)
      if ('unroutable' in change) throw new Error(change.unroutable)
      started++
    }
  }

  files(): ReturnType<typeof opensmFiles> {
    return opensmFiles(
      topology,
      this.tables,
      [...this.state.running].map(([job, { nodes }]) => ({ job, nodes })),
    )
  }

  /** Returns the expected entries of all switches of the fabric: ports by `GUID of the switch, LID of the node`. */
  expected(): ReadonlyMap<string, number> {
    const tables = new Map<string, number>()
    topology.levels.forEach(({ switches }, level) => {
      for (let sw = 0; sw < switches; sw++) {
        for (let node = 0; node < topology.nodes; node++) {
          const port = this.tables.port(level, sw, node)
          if (port >= 0) tables.set(`${switchGuid(level, sw)} ${node + 1}`, port + 1)
        }
      }
    })
    return tables
  }
}

function switchGuid(level: number, sw: number): string {
  return `0x00020${level + 1}${(sw + 1).toString(16).padStart(8, '0')}00`
}

/** Follows forwarding tables from one node to another, and returns level and link of each hop between switches. */
function walk(
  tables: ReadonlyMap<string, number>,
  from: number,
  to: number,
): ReadonlyArray<readonly [level: number, link: number]> {
  const links: Array<readonly [number, number]> = []
  for (let at = { level: 0, sw: topology.leafOfNode[from] }; ;) {
    const port = tables.get(`${switchGuid(at.level, at.sw)} ${to + 1}`)
    if (port === undefined || links.length > 4) throw new Error(`no way from node ${from} to node ${to}`)
    if (at.level < 2 && port > 4) {
      const link = linkAt(topology, at, port)
      links.push([at.level, link])
      at = { level: at.level + 1, sw: topology.levels[at.level].parentOfLink[link] }
    } else if (at.level === 0) return links
    else {
      const link = linksBelow(topology, at.level, at.sw)[port - 1]
      links.push([at.level - 1, link])
      at = { level: at.level - 1, sw: Math.floor(link / upPorts(topology, at.level - 1, 0)) }
    }
  }
}

function linksBelow({ levels }: Topology, level: number, sw: number): ReadonlyArray<number> {
  return Array.from(levels[level - 1].parentOfLink.keys()).filter((link) => levels[level - 1].parentOfLink[link] === sw)
}

function pairsOf(nodes: ArrayLike<number>): ReadonlyArray<readonly [number, number]> {
  const all = Array.from(nodes)
  return all.flatMap((from) => all.filter((to) => to !== from).map((to) => [from, to] as const))
}

const missing = whatFabricLacks()
const fabricTests = describe.skipIf(missing !== undefined)

fabricTests(
  `opensmFiles, on a simulated fabric under OpenSM${missing === undefined ? '' : ` (skipped: ${missing})`}`,
  () => {
    const replay = new Replay(shortLog(jigsaw))
    let fabric: SimulatedFabric

    /** Traces routes of pairs of nodes of each running job through the fabric, and returns the number of pairs. */
    function traceAll({ state, expected }: { state: LogState; expected: ReadonlyMap<string, number> }): number {
      let traced = 0
      for (const { nodes, links } of state.running.values()) {
        if (nodes.length < 2) continue
        const pairs = pairsOf(nodes)
        const paths = fabric.trace(
          `node${nodes[0]}`,
          pairs.map(([from, to]) => [from + 1, to + 1]),
        )
        expect(paths.length).toBe(pairs.length)
        const own = links.map((ids) => new Set(Array.from(ids)))
        paths.forEach((hops, i) => {
          const [from, to] = pairs[i]
          expect(hops.at(-1)!.to).toBe(`0x0001${(to + 1).toString(16).padStart(10, '0')}01`)
          const used = linksOf(topology, hops)
          expect(used.length).toBe(hops.length - 2)
          expect(used).toEqual(walk(expected, from, to))
          for (const [level, link] of used) expect(own[level]?.has(link)).toBe(true)
          traced++
        })
      }
      return traced
    }

    beforeAll(async () => {
      replay.until(1)
      fabric = await SimulatedFabric.boot(replay.files(), SimulatedFabric.byFile)
    })
    afterAll(() => fabric?.stop())

    test('OpenSM gives the switches exactly the entries of opensmFiles, as jobs start and end', async () => {
      let compared = 0
      for (const starts of [0, 4, 8, 12, 16, 12]) {
        replay.until(starts)
        if (starts > 0) await fabric.install(replay.files())
        const expected = replay.expected()
        expect(fabric.tables()).toEqual(expected)
        compared += expected.size
      }
      expect(replay.state.running.size).toBeGreaterThan(5)
      expect(compared).toBeGreaterThan(10_000)
    })

    test('OpenSM lets the nodes of a job reach each other over the links of the job, and not reach a node of another job', () => {
      expect(traceAll({ state: replay.state, expected: replay.expected() })).toBeGreaterThan(500)
      const [a, b] = [...replay.state.running.values()]
      expect(() => fabric.trace(`node${a.nodes[0]}`, [[a.nodes[0] + 1, b.nodes[0] + 1]])).toThrow()
    })

    test('OpenSM gives nodes the partition key of their job, and limited membership in the default partition', () => {
      const keys = new Map<number, string>()
      for (const [job, { nodes }] of replay.state.running) {
        for (const node of [nodes[0], nodes[nodes.length - 1]]) {
          const found = fabric.partitionKeys(`node${node}`, node + 1).filter((key) => (key & 0x7fff) !== 0x7fff)
          expect(found.length).toBe(1)
          expect(found[0] & 0x8000).toBe(0x8000)
          expect(keys.get(found[0]) ?? job).toBe(job)
          keys.set(found[0], job)
        }
      }
      expect(keys.size).toBe(replay.state.running.size)
      const notManager = [...replay.state.running.values()].find(({ nodes }) => nodes[0] > 0)!.nodes[0]
      expect(fabric.partitionKeys(`node${notManager}`, notManager + 1)).toContain(0x7fff)
    })

    test('OpenSM gives the entries of opensmFiles for jobs of the policy mosaic, with nested sets of spines in the pods', async () => {
      const other = new Replay(shortLog(mosaic))
      other.until(7)
      await fabric.install(other.files())
      expect(fabric.tables()).toEqual(other.expected())
      expect(traceAll({ state: other.state, expected: other.expected() })).toBeGreaterThan(100)
      await fabric.install(replay.files())
    })

    test('the comparison of the entries of opensmFiles with the entries of the switches finds a wrong port', async () => {
      const wrong: Pick<ForwardingTables, 'port'> = {
        port: (level, sw, node) => {
          const port = replay.tables.port(level, sw, node)
          return level === 2 && port >= 0 ? 7 - port : port
        },
      }
      await fabric.install(opensmFiles(topology, wrong, []))
      expect(fabric.tables()).not.toEqual(replay.expected())
      await fabric.install(replay.files())
      expect(fabric.tables()).toEqual(replay.expected())
    })

    test('OpenSM with its routing ftree, instead of the file lfts, uses links outside of a job for over 100 pairs of nodes of jobs', async () => {
      const stock = await SimulatedFabric.boot(replay.files(), ['-R', 'ftree'])
      const tables = stock.tables()
      await stock.stop()
      let leaks = 0
      for (const { nodes, links } of replay.state.running.values()) {
        const own = links.map((ids) => new Set(Array.from(ids)))
        for (const [from, to] of pairsOf(nodes)) {
          if (walk(tables, from, to).some(([level, link]) => own[level]?.has(link) !== true)) leaks++
        }
      }
      expect(leaks).toBeGreaterThan(100)
    })
  },
)
