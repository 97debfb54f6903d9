import type { Claims, IndexHooks, Outcome, Placer, Request, StateView } from '@cloister/placement'
import type { Part } from './config.ts'
import { placementOf } from './found.ts'
import { type FreeCounts, freeCountsHooks } from './free-counts.ts'
import { Lifetimes } from './lifetimes.ts'
import { ScatteredFill } from './scattered-fill.ts'
import { SeveralPods } from './several-pods.ts'
import type { Tree } from './tree.ts'
import { WithinPod } from './within-pod.ts'

/** Placer of Mosaic: searches single pods, then whole leaves in several pods, then a scattered fill. */
export class Mosaic implements Placer<FreeCounts> {
  readonly claims: Claims = {
    links: 'owned',
    rule: 'nested-remainders',
    fullBandwidth: true,
    exactSize: true,
    // Mosaic is neither monotone nor complete, because its searches are bounded and costs change with time.
    monotone: false,
    complete: false,
    speedupScenarios: true,
  }
  readonly index: IndexHooks<FreeCounts>
  readonly #tree: Tree
  readonly #lifetimes: Lifetimes
  readonly #withinPod: WithinPod
  readonly #severalPods: SeveralPods
  readonly #scatteredFill: ScatteredFill | undefined

  constructor(tree: Tree, without: ReadonlyArray<Part> = []) {
    const areNested = !without.includes('nested-sets')
    this.index = freeCountsHooks(tree)
    this.#tree = tree
    this.#lifetimes = new Lifetimes(tree, !without.includes('lifetimes'))
    this.#withinPod = new WithinPod(tree, this.#lifetimes, areNested)
    this.#severalPods = new SeveralPods(tree, this.#lifetimes, areNested)
    this.#scatteredFill = without.includes('scattered-fill') ? undefined : new ScatteredFill(tree, this.#lifetimes)
  }

  place(state: StateView, request: Request, counts: FreeCounts): Outcome {
    const { nodes } = request
    if (nodes > this.#tree.topology.nodes) return { ok: false, code: 'never', constraint: 'machine size' }
    if (nodes > state.freeNodes) return { ok: false, code: 'too-few-nodes', free: state.freeNodes }
    this.#lifetimes.begin(state, request)
    const found =
      this.#withinPod.find(state, counts, nodes) ??
      this.#severalPods.find(state, counts, nodes) ??
      (request.purpose === 'reserve' ? undefined : this.#scatteredFill?.find(state, counts, nodes))
    if (found !== undefined) return placementOf(this.#tree, state, found)
    return { ok: false, code: 'no-placement', constraint: 'leaves, uplinks or spine links that fit together' }
  }
}
