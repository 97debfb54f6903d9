import { SlurmCluster, whatIsMissing } from '@cloister/slurm-cluster'
import { bindPolicy, ClusterState } from '@cloister/placement'
import { ask } from '@cloister/placement/testing'
import {
  formatTopologyConf,
  parseSlurmTopology,
  parseTopology,
  seededDraws,
  type Topology,
  withNodeNames,
} from '@cloister/topology'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { slurmTree } from '../src/index.ts'

/** Text of a topology.conf: a tree with leaves of different sizes, below switches of different heights. */
const uneven = `SwitchName=a Nodes=node[0-4]
SwitchName=b Nodes=node[5-6]
SwitchName=c Nodes=node[7-15]
SwitchName=d Nodes=node[16-20]
SwitchName=e Nodes=node[21-28]
SwitchName=f Nodes=node[29-31]
SwitchName=ab Switches=a,b
SwitchName=cde Switches=c,d,e
SwitchName=left Switches=ab,cde
SwitchName=top Switches=left,f
`
/** Text of a topology.conf: a graph with two upper switches over the same four leaves. */
const twoParents = `SwitchName=a Nodes=node[0-7]
SwitchName=b Nodes=node[8-15]
SwitchName=c Nodes=node[16-23]
SwitchName=d Nodes=node[24-31]
SwitchName=x Switches=a,b,c,d
SwitchName=y Switches=a,b,c,d
`
const regular = parseTopology('kary:4:3')
const machines: ReadonlyArray<readonly [string, Topology, string]> = [
  [
    'a 4-ary 3-tree',
    regular,
    formatTopologyConf(
      withNodeNames(
        regular,
        Array.from({ length: regular.nodes }, (_, node) => `node${node}`),
      ),
    ),
  ],
  ['uneven leaves and heights', parseSlurmTopology(uneven, 'uneven'), uneven],
  ['leaves of two parents', parseSlurmTopology(twoParents, 'two parents'), twoParents],
]

const missing = whatIsMissing()
const STATES = 16
const QUESTIONS = 9

describe.skipIf(missing !== undefined).each(machines)(
  `slurm-tree places jobs as Slurm does${missing === undefined ? '' : ` (skipped: ${missing})`}: %s`,
  (_, topology, conf) => {
    let slurm: SlurmCluster
    beforeAll(async () => {
      slurm = await SlurmCluster.boot(topology.nodes, conf)
    })
    afterAll(() => slurm?.stop())

    test('sbatch --test-only and slurm-tree give equal answers in random states', async () => {
      const draw = seededDraws(topology.nodes)
      const { placer } = bindPolicy(slurmTree, topology)
      let granted = 0
      for (let at = 0; at < STATES; at++) {
        const busy = someNodes(topology, draw)
        const state = new ClusterState(topology)
        state.fail({ nodes: busy, links: [] })
        if (busy.length > 0) slurm.occupy(busy)
        for (let question = 0; question < QUESTIONS; question++) {
          const nodes = 1 + draw(question % 3 === 0 ? topology.nodes : Math.max(1, state.freeNodes))
          const outcome = ask(placer, state, nodes)
          if (outcome.ok) granted++
          expect({ at, nodes, placed: slurm.wouldPlace(nodes) }).toEqual({
            at,
            nodes,
            placed: outcome.ok ? Array.from(outcome.nodes) : undefined,
          })
        }
        if (busy.length > 0) await slurm.cancelAll()
      }
      expect(granted).toBeGreaterThan((STATES * QUESTIONS) / 2)
    })
  },
)

/**
 * Draws the busy nodes of a machine, from none to nearly all. Every second group of four nodes has fewer busy nodes, so
 * that leaves differ.
 */
function someNodes({ nodes }: Topology, draw: (below: number) => number): Array<number> {
  const rate = draw(10)
  return [...Array.from({ length: nodes }).keys()].filter(
    (node) => draw(10) < rate * (((node >> 2) & 1) === 0 ? 0.5 : 1),
  )
}
