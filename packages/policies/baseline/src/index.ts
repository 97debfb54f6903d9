import {
  MaskBuilder,
  MaskedPlacement,
  maskWords,
  type Outcome,
  type PlacementPolicy,
  type Request,
  type StateView,
} from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import * as v from 'valibot'
import { version } from './version.ts'

/** Configuration of the policy Baseline: an empty object. */
export type Config = Readonly<Record<string, never>>

/** The policy Baseline: a job gets the free nodes with the lowest ids and shares every link. */
export const baseline: PlacementPolicy<Config> = {
  contract: 1,
  name: 'baseline',
  version,
  config: v.strictObject({}, 'baseline has nothing to configure; expected {}'),
  make: (topology) => {
    const masks = new MaskBuilder(maskWords(topology))
    return {
      claims: {
        links: 'shared',
        fullBandwidth: false,
        exactSize: true,
        monotone: true,
        complete: true,
        anyFreeNodes: true,
        speedupScenarios: false,
      },
      place: (state, request) => firstFree(topology, masks, state, request),
    }
  },
}
export default baseline

function firstFree(topology: Topology, masks: MaskBuilder, state: StateView, request: Request): Outcome {
  if (request.nodes > topology.nodes) return { ok: false, code: 'never', constraint: 'machine size' }
  if (request.nodes > state.freeNodes) return { ok: false, code: 'too-few-nodes', free: state.freeNodes }
  const { firstLeafOfPod } = topology
  for (let pod = 0, left = request.nodes; left > 0; pod++) {
    if (state.freeNodesInPod(pod) === 0) continue
    for (let leaf = firstLeafOfPod[pod]; leaf < firstLeafOfPod[pod + 1] && left > 0; leaf++)
      left -= masks.addFreeNodes(state, leaf, left)
  }
  return new MaskedPlacement(masks.take())
}
