import { bindPolicy, PolicyError } from '@cloister/placement'
import { parseTopology, switchGraph } from '@cloister/topology'
import { describe, expect, test } from 'vitest'
import { ta } from '../src/index.ts'
import { TaCluster } from './ta-cluster.ts'
import { brokenRule } from './rules.ts'

/** Topology of Figures 2 to 4 of Pollard et al.: radix-6 switches and 18 nodes in two pods. */
const FIGURE = 'pgft:3;3,3,2;1,3,3;1,1,1'

function refusal(cluster: TaCluster, nodes: number): object {
  const outcome = cluster.ask(nodes)
  if (outcome.ok) throw new Error(`${nodes} nodes are placed on ${Array.from(outcome.nodes).join()}`)
  return outcome
}

describe('the example of Pollard et al. with radix-6 switches', () => {
  const placed = (): {
    readonly cluster: TaCluster
    readonly red: ReadonlyArray<number>
    readonly brown: ReadonlyArray<number>
    readonly blue: ReadonlyArray<number>
  } => {
    const cluster = new TaCluster(FIGURE)
    return { cluster, red: cluster.run(2), brown: cluster.run(5), blue: cluster.run(10) }
  }

  test('TA gives Figure 3 of Pollard et al.: a T1 and a T3 job share the first leaf, a T2 job has the other two leaves of the pod', () => {
    const { cluster, red, brown, blue } = placed()
    expect({ red, brown, blue }).toEqual({
      red: [0, 1],
      brown: [3, 4, 5, 6, 7],
      blue: [2, 9, 10, 11, 12, 13, 14, 15, 16, 17],
    })
    expect(cluster.running.map(({ type }) => type)).toEqual(['T1', 'T2', 'T3'])
    expect(cluster.running.map(({ allocation }) => allocation.links.map((ids) => ids.length))).toEqual([
      [],
      [6],
      [12, 18],
    ])
  })

  test('Figure 4 of Pollard et al.: exchanging a node of the T1 job with a node of the T2 job breaks the rules', () => {
    const { cluster } = placed()
    const [red, brown, blue] = cluster.running
    expect(brokenRule(cluster.topology, brown, [red, blue])).toBeUndefined()
    expect(brokenRule(cluster.topology, { ...red, nodes: [0, 7] }, [brown, blue])).toBe('T1 on 2 leaves')
    expect(brokenRule(cluster.topology, { ...brown, nodes: [1, 3, 4, 5, 6] }, [red, blue])).toBe(
      'T2 shares a leaf with T3',
    )
  })

  test.each([
    [1, 'T1'],
    [3, 'T1'],
    [4, 'T2'],
    [9, 'T2'],
    [10, 'T3'],
    [18, 'T3'],
  ])('on a machine of 18 nodes, TA places a job of %i nodes as type %s', (nodes, type) => {
    const cluster = new TaCluster(FIGURE)
    cluster.run(nodes)
    expect(cluster.running[0].type).toBe(type)
    expect(cluster.running[0].allocation.links.length).toBe({ T1: 0, T2: 1, T3: 2 }[type])
  })
})

describe("TA's choice of nodes", () => {
  test('TA places a T1 job in the pod with the fewest available nodes and a fitting leaf, on the fitting leaf with the fewest', () => {
    const cluster = new TaCluster('radix:6')
    expect(cluster.run(2)).toEqual([0, 1])
    // Pod 0 has the fewest available nodes. The job does not fit on the first leaf of pod 0.
    expect(cluster.run(2)).toEqual([3, 4])
    expect(cluster.run(1)).toEqual([2])
    expect(cluster.run(1)).toEqual([5])
    // Of equal leaves, the leaf with the lower id wins.
    expect(cluster.run(3)).toEqual([6, 7, 8])
    expect(cluster.run(3)).toEqual([9, 10, 11])
  })

  test('TA places a T2 job in the fitting pod with the fewest available nodes, on leaves with the most available nodes first', () => {
    const cluster = new TaCluster('radix:6')
    cluster.run(1)
    // Pod 0 has 8 available nodes. Its first leaf has 2 available nodes and comes last.
    expect(cluster.run(7)).toEqual([1, 3, 4, 5, 6, 7, 8])
    cluster.end(1)
    expect(cluster.run(6)).toEqual([3, 4, 5, 6, 7, 8])
    // Pod 0 has two nodes left.
    expect(cluster.run(4)).toEqual([9, 10, 11, 12])
  })

  test('TA counts every free node of a pod as available to a T2 job, also on leaves of other T2 jobs', () => {
    const cluster = new TaCluster('radix:8')
    for (const size of [4, 2, 4, 4]) cluster.run(size)
    expect(cluster.run(5)).toEqual([16, 17, 18, 19, 20])
    cluster.end(3)
    cluster.end(2)
    // Pod 0 has 10 free nodes, all usable by T2 jobs. Pod 1 has 11 free nodes; T2 jobs can use 8.
    expect(cluster.run(5)).toEqual([8, 9, 10, 11, 12])
  })

  test('TA places a T3 job in pods without T3 jobs, on leaves without T2 jobs, with the most available nodes first', () => {
    const cluster = new TaCluster('radix:6')
    expect(cluster.run(1)).toEqual([0])
    expect(cluster.run(4)).toEqual([3, 4, 5, 6])
    expect(cluster.run(10)).toEqual([9, 10, 11, 12, 13, 14, 15, 16, 17, 18])
    expect(cluster.run(10)).toEqual([27, 28, 29, 30, 31, 32, 33, 34, 35, 36])
    // Pods 2 and 4 have 8 free nodes, but also have T3 jobs. Two of the 4 free nodes in pod 0 are on a leaf of the T2
    // job.
    expect(cluster.run(10)).toEqual([1, 45, 46, 47, 48, 49, 50, 51, 52, 53])
  })

  test('TA counts every free node of a pod as available to a T3 job, also on leaves of T2 jobs', () => {
    const cluster = new TaCluster('pgft:3;3,3,3;1,3,3;1,1,1')
    cluster.run(4)
    cluster.state.fail({ nodes: [9, 10, 11, 12, 13], links: [] })
    // Pod 2 has no jobs. Pod 0 has 5 free nodes, 3 of them on a leaf without T2 jobs. Pod 1 has 4 free nodes, all on
    // leaves without T2 jobs.
    expect(cluster.run(10)).toEqual([6, 18, 19, 20, 21, 22, 23, 24, 25, 26])
  })

  test('TA takes, in the last pod of a T3 job, the leaf with the most available nodes first', () => {
    const cluster = new TaCluster(FIGURE)
    cluster.run(1)
    expect(cluster.run(10)).toEqual([3, 9, 10, 11, 12, 13, 14, 15, 16, 17])
  })

  test('with wholeLeaves, TA places T2 and T3 jobs only on leaves without other jobs, and T1 jobs on any leaf', () => {
    const cluster = new TaCluster('radix:6', { wholeLeaves: true })
    cluster.run(1)
    expect(cluster.run(4)).toEqual([3, 4, 5, 6])
    expect(cluster.run(2)).toEqual([1, 2])
    expect(cluster.run(2)).toEqual([7, 8])
    expect(cluster.run(7)).toEqual([9, 10, 11, 12, 13, 14, 15])
    expect(cluster.run(19)).toEqual([18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36])
  })
})

describe('TA with the options wholePods and podsFirst', () => {
  test('with wholePods, T3 jobs of TA fill pods without other jobs, and take the remaining nodes from one more pod', () => {
    const cluster = new TaCluster('radix:6', { wholePods: true })
    cluster.run(1)
    expect(cluster.run(11)).toEqual([3, 4, 9, 10, 11, 12, 13, 14, 15, 16, 17])
    // Four pods without jobs are left.
    expect(refusal(cluster, 37)).toMatchObject({
      constraint: 'free nodes of pods without T3 jobs on leaves without T2 jobs',
    })
    expect(cluster.run(36)).toHaveLength(36)
  })

  test('with wholePods, TA refuses a T3 job if too few pods are without other jobs', () => {
    const cluster = new TaCluster('radix:6', { wholePods: true })
    for (let pod = 0; pod < 6; pod++) cluster.state.fail({ nodes: [9 * pod], links: [] })
    expect(refusal(cluster, 10)).toEqual({
      ok: false,
      code: 'no-placement',
      constraint: 'pods without other jobs, and nodes of one more',
      nearest: { whole: 0, need: 10 },
    })
  })

  test('with podsFirst fewest-free, T3 jobs of TA begin in the pod with the fewest free nodes', () => {
    const cluster = new TaCluster('radix:6', { podsFirst: 'fewest-free' })
    cluster.run(1)
    expect(cluster.run(10)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  })
})

describe('TA with failed nodes and links', () => {
  test('TA uses a leaf with a failed uplink only for T1 jobs', () => {
    const cluster = new TaCluster(FIGURE)
    cluster.state.fail({ nodes: [], links: [[4]] })
    expect(cluster.run(6)).toEqual([0, 1, 2, 6, 7, 8])
    expect(cluster.run(3)).toEqual([3, 4, 5])
  })

  test('TA places no T3 job in a pod with a failed uplink of an L2 switch', () => {
    const cluster = new TaCluster('pgft:3;3,3,3;1,3,3;1,1,1')
    cluster.state.fail({ nodes: [], links: [[], [26]] })
    expect(cluster.run(10)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(cluster.run(9)).toEqual([18, 19, 20, 21, 22, 23, 24, 25, 26])
  })

  test('TA notices a failed uplink at the last of more than 32 ports', () => {
    const cluster = new TaCluster('pgft:3;2,3,3;1,34,35;1,1,1')
    expect(cluster.run(3)).toEqual([0, 1, 2])
    cluster.end(0)
    cluster.state.fail({ nodes: [], links: [[33], [34]] })
    expect(cluster.run(3)).toEqual([2, 3, 4])
    expect(cluster.run(7)).toEqual([6, 7, 8, 9, 10, 11, 12])
  })

  test('TA does not count a down node as available', () => {
    const cluster = new TaCluster(FIGURE)
    cluster.state.fail({ nodes: [1, 9], links: [] })
    expect(cluster.run(2)).toEqual([0, 2])
    expect(cluster.run(8)).toEqual([10, 11, 12, 13, 14, 15, 16, 17])
  })
})

describe('refusals of TA', () => {
  test('TA refuses a job larger than the machine with the code never', () => {
    expect(refusal(new TaCluster(FIGURE), 19)).toEqual({ ok: false, code: 'never', constraint: 'machine size' })
  })

  test('TA refuses a job with the code too-few-nodes and the number of free nodes', () => {
    const cluster = new TaCluster(FIGURE)
    cluster.run(10)
    expect(refusal(cluster, 9)).toEqual({ ok: false, code: 'too-few-nodes', free: 8 })
  })

  test('a refusal of a T1 job names the leaf with the most free nodes', () => {
    const cluster = new TaCluster(FIGURE)
    cluster.state.fail({ nodes: [0, 1, 3, 4, 6, 7, 9, 10, 12, 15, 16], links: [] })
    expect(refusal(cluster, 3)).toEqual({
      ok: false,
      code: 'no-placement',
      constraint: 'free nodes on one leaf',
      nearest: { leaf: 4, have: 2, need: 3 },
    })
  })

  test('a refusal of a T2 job names the pod with the most usable nodes', () => {
    const cluster = new TaCluster(FIGURE)
    cluster.run(4)
    cluster.run(7)
    expect(refusal(cluster, 4)).toEqual({
      ok: false,
      code: 'no-placement',
      constraint: 'free nodes of one pod on leaves without T2 and T3 jobs',
      nearest: { pod: 0, have: 3, need: 4 },
    })
  })

  test('a refusal of a T3 job has the number of usable nodes of all pods', () => {
    const cluster = new TaCluster(FIGURE)
    cluster.run(4)
    expect(refusal(cluster, 13)).toEqual({
      ok: false,
      code: 'no-placement',
      constraint: 'free nodes of pods without T3 jobs on leaves without T2 jobs',
      nearest: { have: 12, need: 13 },
    })
  })
})

describe('the claims and job types of TA', () => {
  const { claims } = new TaCluster('radix:18').placer

  test('TA claims owned links and full bandwidth on trees with full bisection', () => {
    expect(claims).toEqual({
      links: 'owned',
      rule: 'ta',
      fullBandwidth: true,
      exactSize: true,
      monotone: true,
      complete: true,
      speedupScenarios: true,
    })
    for (const spec of ['cab', 'pgft:2;18,36;1,18;1,1', 'pgft:1;16;1;1'])
      expect(new TaCluster(spec).placer.claims).toEqual(claims)
  })

  test('TA claims owned links with share bandwidth instead of full bandwidth on tapered trees', () => {
    const claimed = (shareBandwidth: object): object => ({ ...claims, fullBandwidth: false, shareBandwidth })
    expect(new TaCluster('pgft:3;18,18,4;1,9,9;1,1,1').placer.claims).toEqual(
      claimed({ uplink: [2, 1], spine: [4, 1] }),
    )
    expect(new TaCluster('pgft:2;18,36;1,9;1,1').placer.claims).toEqual(claimed({ uplink: [2, 1], spine: [2, 1] }))
  })

  test('TA does not claim to be complete with wholeLeaves', () => {
    expect(new TaCluster('radix:18', { wholeLeaves: true }).placer.claims).toEqual({ ...claims, complete: false })
  })

  test('TA has job types T1 and T2 on a tree of two levels, and only T1 on a tree of one level', () => {
    const two = new TaCluster('pgft:2;4,3;1,4;1,1')
    expect(two.run(12)).toHaveLength(12)
    expect(two.running[0].allocation.links.map((ids) => ids.length)).toEqual([12])
    const one = new TaCluster('pgft:1;9;1;1')
    expect(one.run(9)).toHaveLength(9)
    expect(one.running[0].allocation.links).toEqual([])
  })

  test.each([
    [
      'a switch graph',
      switchGraph({ name: 'graph', leaves: [3, 2], parents: [[[0], [0]]] }),
      /switch graph; TA needs a regular fat tree, such as radix:18/,
    ],
    [
      'a tree of four levels',
      parseTopology('kary:2:4'),
      /does not serve kary:2:4: it has 4 levels of switches; TA's types of jobs are for at most three/,
    ],
  ])('TA does not serve %s', (_, topology, reason) => {
    expect(() => bindPolicy(ta, topology)).toThrow(PolicyError)
    expect(() => bindPolicy(ta, topology)).toThrow(reason)
  })

  test('TA refuses an unknown option and an option with a wrong type', () => {
    expect(() => bindPolicy(ta, parseTopology('radix:4'), { wholeLeaf: true })).toThrow(/wholeLeaf/)
    expect(() => bindPolicy(ta, parseTopology('radix:4'), { wholeLeaves: 1 })).toThrow(/wholeLeaves/)
  })
})
