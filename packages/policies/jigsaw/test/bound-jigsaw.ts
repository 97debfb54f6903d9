import { bindPolicy, ClusterState, type Resources, type Placement, type Placer } from '@cloister/placement'
import { parseTopology, type Topology } from '@cloister/topology'
import fc from 'fast-check'
import { jigsaw } from '../src/index.ts'
import { type Needs, needsOn } from './conditions.ts'

/** Jigsaw with a config on a topology, and a state of the machine that tests fork. */
export interface BoundJigsaw {
  readonly topology: Topology
  readonly placer: Placer<any>
  readonly state: ClusterState<any>
  readonly sparse: boolean
  readonly holdUplinks: boolean
  readonly needs: Needs
}

export interface Options {
  readonly order?: 'densest-first' | 'sparsest-first'
  readonly leafJobsHoldUplinks?: boolean
  readonly maxSteps?: number
  readonly bandwidth?: 'full'
}

export function jigsawOn(spec: string, config: Options = {}): BoundJigsaw {
  const topology = parseTopology(spec)
  const { placer } = bindPolicy(jigsaw, topology, config)
  return {
    topology,
    placer,
    state: new ClusterState(topology, { index: placer.index }),
    sparse: config.order === 'sparsest-first',
    holdUplinks: config.leafJobsHoldUplinks === true,
    needs: needsOn(topology, config.bandwidth ?? 'share'),
  }
}

export const options: fc.Arbitrary<Options> = fc.record(
  {
    order: fc.constantFrom('densest-first', 'sparsest-first'),
    leafJobsHoldUplinks: fc.boolean(),
    bandwidth: fc.constant('full'),
  },
  { requiredKeys: ['order', 'leafJobsHoldUplinks'] },
)

export function start(state: ClusterState<any>, { nodes, links }: Placement, startOrder: number): void {
  state.apply({ job: `job ${startOrder}`, nodes, links, estimatedEnd: 0, startOrder })
}

/** Draws the failed nodes and links of a machine: none, few, some or most. */
export function brokenResources({ nodes, levels }: Topology): fc.Arbitrary<Resources> {
  const some = (count: number): fc.Arbitrary<Array<number>> =>
    (count === 0
      ? fc.constant<Array<number>>([])
      : fc.oneof(
          fc.constant<Array<number>>([]),
          ...[0.1, 0.3, 0.7].map((share) =>
            fc.uniqueArray(fc.nat(count - 1), { maxLength: Math.ceil(share * count), size: 'max' }),
          ),
        )
    ).map((ids) => ids.sort((a, b) => a - b))
  return fc.record({ nodes: some(nodes), links: fc.tuple(...levels.map(({ links }) => some(links))) })
}
