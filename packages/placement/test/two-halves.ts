import type { Claims, Outcome, Placer } from '../src/contract.ts'
import type { StateView } from '../src/view.ts'
import type { Topology } from '@cloister/topology'
import { range } from './naive-state.ts'
import { anyObject, type Policy, refused } from './sample-policies.ts'

/** Differences of a broken policy from the correct policy of `twoHalves`. */
export interface HalvesBreak {
  readonly name?: string
  /** Returns the indices of the L2 switches that a half of `nodes` nodes uses in the second pod. */
  readonly secondL2?: (nodes: number) => ReadonlyArray<number>
  readonly spinePorts?: (links: ReadonlyArray<number>) => ReadonlyArray<number>
  /** Returns true if a spine link counts as free, and undefined to ask the state. */
  readonly isSpineFree?: (topology: Topology) => boolean | undefined
  /** True if the policy serves a tree without some parts as if the tree were whole. */
  readonly ignoresAbsentParts?: boolean
}

interface Half {
  readonly leaf: number
  readonly nodes: ReadonlyArray<number>
}

const claims: Claims = {
  links: 'owned',
  rule: 'jigsaw-conditions',
  fullBandwidth: true,
  exactSize: true,
  monotone: true,
  complete: false,
  speedupScenarios: true,
}

/**
 * Returns a policy that places a job on one leaf, or in equal halves on leaves of two neighbouring pods with owned
 * links. The policy is correct if `broken` is empty.
 */
export function twoHalves(broken: HalvesBreak = {}): Policy {
  return {
    contract: 1,
    name: broken.name ?? 'two-halves',
    version: '1.0.0',
    config: anyObject,
    make: (topology) => {
      const pgft = shapeOf(topology, broken)
      const isServed = pgft?.m.length === 3 && pgft.p.every((cables) => cables === 1) && pgft.w[1] === pgft.m[0]
      if (!isServed || topology.pods < 2) return { unsupported: 'three levels, single cables, as many up as down' }
      return new Halves(topology, broken)
    },
  }
}

class Halves implements Placer {
  readonly claims: Claims = claims
  readonly #topology: Topology
  readonly #broken: HalvesBreak

  constructor(topology: Topology, broken: HalvesBreak) {
    this.#topology = topology
    this.#broken = broken
  }

  place(state: StateView, { nodes: size }: { readonly nodes: number }): Outcome {
    const { leaves, pods, levels, firstL2OfPod } = this.#topology
    const perLeaf = shapeOf(this.#topology, this.#broken)!.m[0]
    if (size <= perLeaf) {
      const leaf = range(0, leaves).find((each) => state.freeNodesOnLeaf(each) >= size)
      return leaf === undefined
        ? refused('free nodes on one leaf')
        : { ok: true, nodes: this.#free(state, leaf).slice(0, size), links: [] }
    }
    const nodes = size / 2
    if (size % 2 === 1 || nodes >= perLeaf) return { ok: false, code: 'never', constraint: 'two equal parts of leaves' }
    const first = range(0, nodes)
    const second = this.#broken.secondL2?.(nodes) ?? first
    for (let port = 0; port < shapeOf(this.#topology, this.#broken)!.w[2]; port++) {
      for (let pod = 0; pod + 1 < pods; pod++) {
        const a = this.#half(state, pod, nodes, first, port)
        const b = this.#half(state, pod + 1, nodes, second, port)
        if (a === undefined || b === undefined) continue
        const up = ({ leaf }: Half, ports: ReadonlyArray<number>): ReadonlyArray<number> =>
          ports.map((each) => levels[0].firstPort[leaf] + each)
        const spines = (of: number, l2: ReadonlyArray<number>): ReadonlyArray<number> =>
          l2.map((each) => levels[1].firstPort[firstL2OfPod[of] + each] + port)
        const spineLinks = [...spines(pod, first), ...spines(pod + 1, second)]
        const links = [[...up(a, first), ...up(b, second)], this.#broken.spinePorts?.(spineLinks) ?? spineLinks]
        return { ok: true, nodes: [...a.nodes, ...b.nodes], links }
      }
    }
    return refused('two leaves in neighbouring pods with a common spine')
  }

  /**
   * Finds a leaf of a pod with enough free nodes for one half of the job. Returns the half's nodes, uplinks and spine
   * links.
   */
  #half(state: StateView, pod: number, nodes: number, l2: ReadonlyArray<number>, port: number): Half | undefined {
    const { firstL2OfPod, firstLeafOfPod } = this.#topology
    const isSpineFree =
      this.#broken.isSpineFree?.(this.#topology) ??
      l2.every((each) => isSet(state.portMask(1, firstL2OfPod[pod] + each, port >>> 5), port))
    if (!isSpineFree) return undefined
    const leaf = range(firstLeafOfPod[pod], firstLeafOfPod[pod + 1]).find(
      (each) => state.freeNodesOnLeaf(each) >= nodes && l2.every((up) => isSet(state.portMask(0, each, up >>> 5), up)),
    )
    return leaf === undefined ? undefined : { leaf, nodes: this.#free(state, leaf).slice(0, nodes) }
  }

  #free(state: StateView, leaf: number): ReadonlyArray<number> {
    const { firstNodeOfLeaf } = this.#topology
    return range(firstNodeOfLeaf[leaf], firstNodeOfLeaf[leaf + 1]).filter((node) => state.isNodeFree(node))
  }
}

function shapeOf({ pgft, envelope }: Topology, { ignoresAbsentParts = false }: HalvesBreak): Topology['pgft'] {
  return pgft ?? (ignoresAbsentParts ? envelope?.shape : undefined)
}

function isSet(mask: number, port: number): boolean {
  return ((mask >>> (port & 31)) & 1) === 1
}
