import { parseTopology } from '@cloister/topology'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Allocation, type Resources, StateError } from '../src/allocations.ts'
import { ClusterState } from '../src/state.ts'
import { commands, everything, CheckedStates, machines, topologyNamed, wishes } from './commands.ts'
import { range } from './naive-state.ts'

test('ClusterState and its forks agree with a model of plain sets after every command of a random history', () => {
  fc.assert(
    fc.property(machines, commands, (machine, history) => {
      const made = new CheckedStates(machine)
      made.compare()
      for (const command of history) {
        made.run(command)
        made.compare()
      }
    }),
    { numRuns: 400 },
  )
})

test('isFree and isUp agree with a model of plain sets for any nodes and links', () => {
  fc.assert(
    fc.property(
      machines,
      commands,
      fc.array(wishes, { maxLength: 10 }),
      fc.integer({ min: 1, max: 1000 }),
      (machine, history, wished, bandwidth) => {
        const made = CheckedStates.after(machine, history)
        for (const { real, naive } of made.states) {
          for (const resources of wished.map((wish) => made.resources(wish))) {
            expect(real.isUp(resources)).toBe(naive.isUp(resources))
            expect(real.isFree(resources)).toBe(naive.isFree(resources, undefined))
            expect(real.isFree(resources, bandwidth)).toBe(naive.isFree(resources, bandwidth))
          }
        }
      },
    ),
  )
})

test('a dropped fork that is used again keeps nothing of its former contents, even after a StateError', () => {
  fc.assert(
    fc.property(machines, commands, wishes, (machine, history, wish) => {
      const made = CheckedStates.after(machine, history)
      const { topology } = made
      for (const { real } of made.states) {
        const before = everything(topology, real)
        const used = real.fork()
        used.withhold(made.resources(wish))
        expect(() => used.apply(job({ nodes: [topology.nodes - 1, topology.nodes], links: [] }))).toThrow(StateError)
        used.drop()
        const fork = real.fork()
        expect(fork).toBe(used)
        expect(everything(topology, fork)).toEqual(before)
        expect(everything(topology, real)).toEqual(before)
        fork.drop()
      }
    }),
  )
})

describe('a wrong use of a state throws a StateError', () => {
  test('apply throws a StateError if a node or link is not free', () => {
    fc.assert(
      fc.property(machines, commands, (machine, history) => {
        const made = CheckedStates.after(machine, history)
        for (const { real, naive } of made.states) {
          for (const node of range(0, made.topology.nodes).filter((id) => !naive.isNodeFree(id))) {
            expect(onFork(real, 'apply', { nodes: [node], links: [] })).toThrow(`node ${node} is taken but not free`)
          }
          forEachLink(made, (level, link) => {
            const resources = { nodes: [], links: onLevel(level, [link]) }
            if (!naive.isLinkFree(level, link))
              expect(onFork(real, 'apply', resources)).toThrow(`level-${level} link ${link} is taken but not free`)
            if (made.capped)
              expect(onFork(real, 'apply', resources, naive.capacityLeft(level, link) + 1)).toThrow(
                `level-${level} link ${link} cannot `,
              )
          })
        }
      }),
      { numRuns: 50 },
    )
  })

  test('release throws a StateError if the job does not hold a node or link', () => {
    fc.assert(
      fc.property(machines, commands, (machine, history) => {
        const made = CheckedStates.after(machine, history)
        for (const { real, naive } of made.states) {
          for (const node of range(0, made.topology.nodes).filter((id) => !naive.held.has(`node ${id}`))) {
            expect(onFork(real, 'release', { nodes: [node], links: [] })).toThrow(
              `node ${node} is released but not held`,
            )
          }
          forEachLink(made, (level, link) => {
            const name = `${level}-link ${link}`
            const resources = { nodes: [], links: onLevel(level, [link]) }
            if (made.capped)
              expect(onFork(real, 'release', resources, (naive.used.get(name) ?? 0) + 1)).toThrow(
                `level-${level} link ${link} cannot `,
              )
            else if (!naive.held.has(name))
              expect(onFork(real, 'release', resources)).toThrow(`level-${level} link ${link} is released but not held`)
          })
        }
      }),
      { numRuns: 50 },
    )
  })

  test('release and reestimate throw a StateError if the job does not run', () => {
    fc.assert(
      fc.property(machines, commands, (machine, history) => {
        const { real } = CheckedStates.after(machine, history).states[0]
        for (const allocation of real.running) {
          const equal = { ...allocation }
          expect(() => real.fork().release(equal)).toThrow(new StateError(`job ${equal.job} is not running`))
          expect(() => real.fork().reestimate(equal, 1)).toThrow(new StateError(`job ${equal.job} is not running`))
        }
      }),
      { numRuns: 50 },
    )
  })

  const mistakes = fc.record({
    machine: machines,
    operation: fc.constantFrom('apply', 'release', 'withhold', 'fail', 'restore'),
    level: fc.nat(5),
  })

  test('apply, release, withhold, fail and restore throw a StateError for a nonexistent node or link', () => {
    fc.assert(
      fc.property(mistakes, fc.constantFrom(0, 1, 1000, 1.5, NaN, -1), ({ machine, operation, level }, beyond) => {
        const { nodes, levels } = topologyNamed(machine.name)
        const bad = (count: number): number => (Number.isInteger(beyond) && beyond >= 0 ? count + beyond : beyond)
        expect(onNewMachine(machine, operation, { nodes: [bad(nodes)], links: [] })).toThrow(StateError)
        expect(
          onNewMachine(machine, operation, { nodes: [], links: onLevel(level, [bad(levels[level]?.links ?? 0)]) }),
        ).toThrow(StateError)
      }),
      { numRuns: 300 },
    )
  })

  test('apply, release, withhold, fail and restore throw a StateError for a node or link that is named twice', () => {
    fc.assert(
      fc.property(mistakes, fc.nat(), ({ machine, operation, level }, pick) => {
        const { nodes, levels } = topologyNamed(machine.name)
        const twice = (count: number): ReadonlyArray<Array<number>> => [
          [pick % count, pick % count],
          [pick % count, count - 1, pick % count],
        ]
        for (const ids of twice(nodes))
          expect(onNewMachine(machine, operation, { nodes: ids, links: [] })).toThrow(StateError)
        const links = levels[level]?.links ?? 0
        for (const ids of links === 0 ? [] : twice(links))
          expect(onNewMachine(machine, operation, { nodes: [], links: onLevel(level, ids) })).toThrow(StateError)
      }),
      { numRuns: 300 },
    )
  })

  test('apply throws a StateError for an allocation with bandwidth if the state has no link capacity', () => {
    const state = new ClusterState(parseTopology('radix:4'))
    expect(onFork(state, 'apply', { nodes: [], links: [[0]] }, 1)).toThrow(
      'bandwidth is held on links, but this state has no link capacity',
    )
  })
})

/**
 * Returns a function that applies one operation to resources on a fork. Before a release, the job is added to
 * `running`.
 */
function onFork(state: ClusterState<any>, operation: string, resources: Resources, bandwidth?: number): () => void {
  return () => {
    const fork = state.fork()
    const allocation = job(resources, bandwidth)
    try {
      switch (operation) {
        case 'apply':
          return fork.apply(allocation)
        case 'release':
          // The job has the latest estimated end, so the list `running` stays in order.
          fork.running.push(allocation)
          return fork.release(allocation)
        case 'withhold':
          return fork.withhold(resources, bandwidth)
        case 'fail':
          return fork.fail(resources)
        case 'restore':
          return fork.restore(resources)
      }
    } finally {
      fork.drop()
    }
  }
}

/** Returns a function that applies one operation on a new machine. Before a release, a job holds the resources. */
function onNewMachine(
  { name, linkCapacity }: { readonly name: string; readonly linkCapacity: number },
  operation: string,
  resources: Resources,
): () => void {
  const topology = topologyNamed(name)
  const state = new ClusterState(topology, { linkCapacity })
  const bandwidth = linkCapacity > 0 ? 1 : undefined
  const all = { nodes: range(0, topology.nodes), links: topology.levels.map(({ links }) => range(0, links)) }
  if (operation === 'release') state.apply(job(all, bandwidth === undefined ? undefined : 2))
  return onFork(state, operation, resources, bandwidth)
}

function job(resources: Resources, bandwidth?: number): Allocation {
  return {
    job: 'job',
    estimatedEnd: Infinity,
    startOrder: 9999,
    ...resources,
    ...(bandwidth === undefined ? {} : { bandwidth }),
  }
}

function onLevel(level: number, links: ReadonlyArray<number>): Resources['links'] {
  return [...Array<ReadonlyArray<number>>(level).fill([]), links]
}

function forEachLink({ topology }: CheckedStates, visit: (level: number, link: number) => void): void {
  topology.levels.forEach(({ links }, level) => {
    for (let link = 0; link < links; link++) visit(level, link)
  })
}
