import { firstSwitchOfLevels, LoggedTables, spellEntries } from '@cloister/eventlog'
import type { ForwardingTables, Resources } from '@cloister/placement'
import { Draw } from '@cloister/placement/testing'
import { jigsaw } from '@cloister/policy-jigsaw'
import { downPorts, parseTopology, pgft, type Topology } from '@cloister/topology'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dModK, followOn, partitionRouter } from '../src/index.ts'
import { inMachine, machineWithout, someParts } from './absent.ts'
import { allocation, randomLegal, range } from './allocations.ts'
import { naivePartition } from './naive-partition.ts'
import { runningJobs } from './running-jobs.ts'
import { shapes } from './shapes.ts'
import { emptyTables, tablesOf } from './tables-of.ts'

/** Returns every port of every switch towards every node. */
function allPorts(
  topology: Topology,
  tables: Pick<ForwardingTables, 'port'>,
): ReadonlyArray<ReadonlyArray<ReadonlyArray<number>>> {
  return topology.levels.map(({ switches }, level) =>
    range(0, switches).map((sw) => range(0, topology.nodes).map((node) => tables.port(level, sw, node))),
  )
}

/** Returns copies of the entries, because a router may use its arrays again. */
function copied(change: ReturnType<ForwardingTables['start']>) {
  if ('unroutable' in change) throw new Error(change.unroutable)
  return Array.from(change, ({ nodes, ports, ...of }) => ({
    ...of,
    nodes: Array.from(nodes),
    ports: Array.from(ports),
  }))
}

const whole = (topology: Topology): Resources => ({
  nodes: range(0, topology.nodes),
  links: topology.levels.map(({ links }) => range(0, links)),
})

const topologies = [
  'radix:4',
  'radix:8',
  'cab',
  'pgft:2;4,5;1,3;1,2',
  'pgft:3;4,4,4;1,2,2;1,1,1',
  'pgft:3;6,4,5;1,2,2;1,3,2',
  'pgft:3;4,4,3;1,4,2;1,1,2',
].map((each) => parseTopology(each))
const small = topologies.filter(({ nodes }) => nodes <= 130)
const seeds = fc.integer({ min: 0 })

test('the partition routes of a job that owns the whole tree are the routes of D-mod-k', () => {
  fc.assert(
    fc.property(shapes, (shape) => {
      const topology = pgft(shape)
      expect(allPorts(topology, tablesOf(topology, [whole(topology)]))).toEqual(allPorts(topology, dModK(topology)))
    }),
    { numRuns: 40 },
  )
  for (const topology of small)
    expect(allPorts(topology, tablesOf(topology, [whole(topology)]))).toEqual(allPorts(topology, dModK(topology)))
})

/** Draws nodes and links of a job at random, mostly combinations that no policy would choose. */
function anyResources(topology: Topology, draw: Draw): Resources {
  const some = (count: number, most: number): ReadonlyArray<number> =>
    range(0, count).filter(() => draw.below(3) < most)
  const [nodes, links] = [1 + draw.below(3), 1 + draw.below(3)]
  return { nodes: some(topology.nodes, nodes), links: topology.levels.map((level) => some(level.links, links)) }
}

test('after failures and repairs, the routes of each job are those over its links that are up, and only their changes are returned', () => {
  let lost = 0
  const check = (topology: Topology, jobs: ReadonlyArray<Resources>, draw: Draw): void => {
    const tables = emptyTables(topology)
    jobs.forEach((resources, at) => copied(tables.start(String(at), resources)))
    const atFirst = allPorts(topology, tables)
    const down = topology.levels.map(() => new Set<number>())
    for (let step = 0; step < 6; step++) {
      const isFailure = step < 3 && draw.below(4) > 0
      const links = topology.levels.map((level, at) =>
        range(0, level.links).filter((link) => down[at].has(link) !== isFailure && (step === 5 || draw.below(4) === 0)),
      )
      links.forEach((ids, at) => ids.forEach((link) => down[at][isFailure ? 'add' : 'delete'](link)))
      const before = allPorts(topology, tables)
      const changes = Array.from(tables.change!(isFailure ? 'down' : 'up', { nodes: [], links }))
      const after = allPorts(topology, tables)
      const changed = changes.flatMap(({ entries }) =>
        Array.from(entries, ({ level, sw, nodes, ports }) =>
          Array.from(nodes, (node, at) => `${level} ${sw} ${node} ${ports[at]}`),
        ).flat(),
      )
      const differing = after.flatMap((rows, level) =>
        rows.flatMap((row, sw) =>
          row.flatMap((port, node) => (port === before[level][sw][node] ? [] : [`${level} ${sw} ${node} ${port}`])),
        ),
      )
      expect(changed.toSorted()).toEqual(differing.toSorted())
      jobs.forEach((resources, at) => {
        const up = resources.links.map((ids, level) => Array.from(ids).filter((link) => !down[level].has(link)))
        const fresh = emptyTables(topology)
        const isUnroutable = 'unroutable' in fresh.start('job', { ...resources, links: up })
        const change = changes.find(({ job }) => job === String(at))
        if (change !== undefined) expect(change.unroutable !== undefined).toBe(isUnroutable)
        if (isUnroutable) lost++
        else
          for (const node of Array.from(resources.nodes))
            expect(after.map((rows) => rows.map((row) => row[node]))).toEqual(
              allPorts(topology, fresh).map((rows) => rows.map((row) => row[node])),
            )
      })
    }
    expect(allPorts(topology, tables)).toEqual(atFirst)
  }
  fc.assert(
    fc.property(seeds, (seed) => {
      const draw = new Draw(seed)
      const topology = parseTopology(['radix:4', 'radix:6', 'pgft:3;4,4,3;1,4,2;1,1,2'][draw.below(3)])
      check(topology, runningJobs(topology, jigsaw, draw, 30), draw)
    }),
    { numRuns: 20 },
  )
  expect(lost).toBeGreaterThan(0)
})

test('partition routes agree with their three rules, for any nodes and links of a job, on regular trees and on machines with absent parts', () => {
  const tried = { routable: 0, unroutable: 0 }
  const check = (topology: Topology, resources: Resources): void => {
    const tables = emptyTables(topology)
    const change = tables.start('job', resources)
    const naive = naivePartition(topology, resources)
    const apart = Array.from(resources.nodes).some((to) =>
      Array.from(resources.nodes).some((from) => naive(0, topology.leafOfNode[from], to) === undefined),
    )
    expect('unroutable' in change).toBe(apart)
    if ('unroutable' in change) {
      tried.unroutable++
      expect(
        allPorts(topology, tables)
          .flat(2)
          .every((port) => port === -1),
      ).toBe(true)
      return
    }
    tried.routable++
    const down = downPorts(topology)
    let entries = 0
    topology.levels.forEach(({ switches, firstPort }, level) => {
      for (let sw = 0; sw < switches; sw++) {
        for (let node = 0; node < topology.nodes; node++) {
          const next = naive(level, sw, node)
          const expected =
            next === undefined
              ? -1
              : next.up
                ? down[level].first[sw + 1] - down[level].first[sw] + next.id - firstPort[sw]
                : down[level].portOf[next.id]
          if (tables.port(level, sw, node) !== expected)
            expect.fail(
              `${topology.name} ${JSON.stringify(resources)}: switch ${sw} of level ${level}, node ${node}: ${tables.port(level, sw, node)} instead of ${expected}`,
            )
          if (expected >= 0) entries++
        }
      }
    })
    const ports = copied(change).flatMap((each) => each.ports)
    expect(ports.filter((port) => port >= 0).length).toBe(entries)
  }
  const few = shapes.filter(({ m }) => m.reduce((a, b) => a * b) <= 48)
  let absent = 0
  fc.assert(
    fc.property(few, seeds, (shape, seed) => {
      const draw = new Draw(seed)
      const machine = machineWithout(
        pgft(shape),
        someParts(pgft(shape), draw, () => false),
      )
      if (machine?.envelope === undefined) return
      absent++
      check(machine, draw.once(2) ? anyResources(machine, draw) : inMachine(machine, randomLegal(pgft(shape), draw)))
    }),
    { numRuns: 400 },
  )
  expect(absent).toBeGreaterThan(160)
  fc.assert(
    fc.property(few, seeds, (shape, seed) => check(pgft(shape), anyResources(pgft(shape), new Draw(seed)))),
    { numRuns: 150 },
  )
  fc.assert(
    fc.property(fc.constantFrom(...small), seeds, (topology, seed) =>
      check(topology, randomLegal(topology, new Draw(seed))),
    ),
    { numRuns: 40 },
  )
  expect(tried.routable).toBeGreaterThan(0)
  expect(tried.unroutable).toBeGreaterThan(0)
})

describe('partition routes of allocations that meet the conditions of the Jigsaw paper', () => {
  test('partition routes connect every two nodes of an allocation over its own links only', () => {
    fc.assert(
      fc.property(fc.constantFrom(...topologies), seeds, (topology, seed) => {
        const resources = randomLegal(topology, new Draw(seed))
        const tables = tablesOf(topology, [resources])
        const own = resources.links.map((ids) => new Set(Array.from(ids)))
        const follow = followOn(topology)
        const nodes = Array.from(resources.nodes)
        const from = nodes.filter((_, i) => i % Math.ceil(nodes.length / 40) === 0)
        for (const a of from)
          for (const b of nodes)
            follow(tables, a, b, (level, link) => {
              if (!own[level].has(link)) expect.fail(`link ${link} of level ${level} is not the job's`)
            })
      }),
      { numRuns: 60 },
    )
  })

  test('partition routes put at most one flow on a link for every shift if the allocation has no remainder leaf and pod', () => {
    fc.assert(
      fc.property(fc.constantFrom(...topologies), seeds, (topology, seed) => {
        const resources = randomLegal(topology, new Draw(seed), { regular: true })
        const tables = tablesOf(topology, [resources])
        const follow = followOn(topology)
        const nodes = Array.from(resources.nodes)
        for (const shift of [1, 2, 3, nodes.length >> 1, nodes.length - 1]) {
          const taken = new Set<string>()
          nodes.forEach((node, i) =>
            follow(tables, node, nodes[(i + shift) % nodes.length], (level, link, up) => {
              const key = `${up} ${level} ${link}`
              if (taken.has(key)) expect.fail(`shift ${shift}: two flows on link ${link} of level ${level}`)
              taken.add(key)
            }),
          )
        }
      }),
      { numRuns: 100 },
    )
  })

  test('partition routes agree with Figure 5 of the Jigsaw paper: a leaf sends to a leaf with fewer links over a common L2 switch', () => {
    const topology = parseTopology('radix:8')
    const resources = allocation(topology, [
      { pod: 0, leaf: 0, nodes: 2, l2: [1, 3] },
      { pod: 0, leaf: 1, nodes: 1, l2: [3] },
    ])
    const tables = tablesOf(topology, [resources])
    // D-mod-k sends messages for node 4 up by the first link of leaf 0, which is not a link of the job.
    expect(dModK(topology).port(0, 0, 4)).toBe(4 + 0)
    expect(tables.port(0, 0, 4)).toBe(4 + 3)
    // The descent of node 0 uses another L2 switch than the only link of leaf 1, so messages from leaf 1 to node 0 wrap
    // around to this link.
    expect(tables.port(0, 1, 0)).toBe(4 + 3)
    expect(tables.port(1, 3, 0)).toBe(0)
  })
})

describe('the forwarding tables of the partition router', () => {
  test('a start or end changes only table entries of its job, and the entries of a job do not depend on earlier jobs', () => {
    fc.assert(
      fc.property(fc.constantFrom(...small.slice(0, 4)), seeds, (topology, seed) => {
        const draw = new Draw(seed)
        const jobs = runningJobs(topology, jigsaw, draw, 30)
        const tables = emptyTables(topology)
        const alone = jobs.map((resources, job) => copied(emptyTables(topology).start(`${job}`, resources)))
        const present = new Set<number>()
        for (const job of draw
          .sample(range(0, jobs.length), jobs.length)
          .concat(draw.sample(range(0, jobs.length), jobs.length >> 1))) {
          const before = allPorts(topology, tables)
          if (present.has(job)) tables.end(`${job}`)
          else expect(copied(tables.start(`${job}`, jobs[job]))).toEqual(alone[job])
          const after = allPorts(topology, tables)
          const own = new Set(Array.from(jobs[job].nodes))
          let changed = 0
          before.forEach((switches, level) =>
            switches.forEach((ports, sw) =>
              ports.forEach((port, node) => {
                if (port === after[level][sw][node]) return
                expect(own.has(node)).toBe(true)
                changed++
              }),
            ),
          )
          expect(changed).toBe(alone[job].flatMap(({ ports }) => ports.filter((port) => port >= 0)).length)
          if (!present.delete(job)) present.add(job)
        }
      }),
      { numRuns: 10 },
    )
  })

  test('the tables that a route record gives are the tables of the router', () => {
    fc.assert(
      fc.property(fc.constantFrom(...small), seeds, (topology, seed) => {
        const tables = emptyTables(topology)
        const entries = tables.start('job', randomLegal(topology, new Draw(seed)))
        if ('unroutable' in entries) throw new Error(entries.unroutable)
        const texts = spellEntries(firstSwitchOfLevels(topology), entries)
        const logged = new LoggedTables(topology, [{ seq: 1, t: 0, type: 'route', cause: 0, entries: texts }])
        expect(allPorts(topology, logged)).toEqual(allPorts(topology, tables))
      }),
      { numRuns: 30 },
    )
  })

  test('partitionRouter refuses a job whose links do not connect its nodes, and does not support a switch graph', () => {
    const topology = parseTopology('radix:8')
    const tables = emptyTables(topology)
    // Figure 1, right, of the Jigsaw paper: as many links as nodes, but to different L2 switches.
    expect(
      tables.start(
        '7',
        allocation(topology, [
          { pod: 0, leaf: 0, nodes: 2, l2: [0, 1] },
          { pod: 0, leaf: 1, nodes: 2, l2: [2, 3] },
        ]),
      ),
    ).toEqual({ unroutable: 'the links of job 7 do not lead from node 0 to node 4' })
    expect(() => tables.end('7')).toThrow('job 7 has no routes')
    tables.start('8', { nodes: [3], links: [] })
    expect(() => tables.start('8', { nodes: [4], links: [] })).toThrow('job 8 has routes already')
    const { pgft: _, ...graph } = topology
    expect(partitionRouter().make(graph)).toEqual({
      unsupported: 'it is a switch graph; routes are made on regular trees, such as radix:18',
    })
  })
})
