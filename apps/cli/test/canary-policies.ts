/**
 * Flaws that `canaryPolicy` puts into the code of a policy. Without a flaw the policy is sound: it places a job on one
 * leaf, or on two equal leaves in two pods.
 */
interface Flaw {
  /** The policy takes the first nodes of a leaf, free or not. */
  readonly doubleBooks?: boolean
  /** The policy ignores releases of allocations. */
  readonly leaks?: boolean
  /** The policy uses other L2 indices in the second pod, which breaks only condition (5) of the Jigsaw paper. */
  readonly breaksCondition5?: boolean
}

export function canaryPolicy({ doubleBooks = false, leaks = false, breaksCondition5 = false }: Flaw): string {
  return `
const validate = (value) => (typeof value === 'object' && value !== null ? { value } : { issues: [{ message: 'expected an object' }] })
const bit = (mask, port) => (mask >>> port) & 1
const range = (count, from = 0) => Array.from({ length: count }, (_, at) => from + at)

function make(topology) {
  const { leaves, pods, firstNodeOfLeaf, firstLeafOfPod, firstL2OfPod, levels } = topology
  if (topology.pgft === undefined || levels.length !== 3 || levels[0].firstPort[1] > 31) return { unsupported: 'three levels of at most 31 ports are what it knows' }
  const perLeaf = firstNodeOfLeaf[1]
  const ports = levels[0].firstPort[1]
  const l2PerPod = firstL2OfPod[1]
  const spinePorts = levels[1].firstPort[1]
  if (ports < perLeaf || ports !== l2PerPod || pods < 2) return { unsupported: 'tapered trees and parallel cables are beyond it' }

  const freeOn = (state, index, leaf) => range(perLeaf, firstNodeOfLeaf[leaf]).filter((node) => ${doubleBooks ? 'true' : leaks ? '!index.busy.has(node)' : 'state.isNodeFree(node)'})
  const uplinksFree = (state, leaf, uplinks) => uplinks.every((port) => bit(state.portMask(0, leaf, 0), port))
  const spineFree = (state, pod, uplinks, port) => uplinks.every((l2) => bit(state.portMask(1, firstL2OfPod[pod] + l2, 0), port))

  /** Returns a leaf of a pod with free nodes for half of a job, and the uplinks and the spine port of this half. */
  const half = (state, index, pod, nodes, uplinks, port) => {
    if (!spineFree(state, pod, uplinks, port)) return undefined
    for (let leaf = firstLeafOfPod[pod]; leaf < firstLeafOfPod[pod + 1]; leaf++) {
      const free = freeOn(state, index, leaf)
      if (free.length >= nodes && uplinksFree(state, leaf, uplinks)) return { leaf, nodes: free.slice(0, nodes) }
    }
  }

  const place = (state, { nodes: size }, index) => {
    if (size <= perLeaf) {
      for (let leaf = 0; leaf < leaves; leaf++) {
        const free = freeOn(state, index, leaf)
        if (free.length >= size) return { ok: true, nodes: free.slice(0, size), links: [] }
      }
      return { ok: false, code: 'no-placement', constraint: 'free nodes on one leaf' }
    }
    const nodes = size / 2
    if (size % 2 === 1 || nodes >= ports) return { ok: false, code: 'never', constraint: 'one leaf, or two equal ones in two pods, not whole' }
    const first = range(nodes)
    const second = range(nodes, ${breaksCondition5 ? 1 : 0})
    for (let port = 0; port < spinePorts; port++) {
      for (let pod = 0; pod + 1 < pods; pod++) {
        const [a, b] = [half(state, index, pod, nodes, first, port), half(state, index, pod + 1, nodes, second, port)]
        if (a === undefined || b === undefined) continue
        const leafLinks = [...first.map((up) => levels[0].firstPort[a.leaf] + up), ...second.map((up) => levels[0].firstPort[b.leaf] + up)]
        const l2Links = [...first.map((l2) => levels[1].firstPort[firstL2OfPod[pod] + l2] + port), ...second.map((l2) => levels[1].firstPort[firstL2OfPod[pod + 1] + l2] + port)]
        return { ok: true, nodes: [...a.nodes, ...b.nodes], links: [leafLinks, l2Links] }
      }
    }
    return { ok: false, code: 'no-placement', constraint: 'two leaves in neighbouring pods with a common spine' }
  }

  const busyNodes = (state) => new Set(range(topology.nodes).filter((node) => !state.isNodeFree(node)))
  return {
    claims: { links: 'owned', rule: 'jigsaw-conditions', fullBandwidth: true, exactSize: true, monotone: true, complete: false, speedupScenarios: true },
    place,
    ${
      leaks
        ? `index: {
      build: (state) => ({ busy: busyNodes(state) }),
      copy: (from, into) => { into.busy = new Set(from.busy) },
      changed: (index, state) => { for (const node of busyNodes(state)) index.busy.add(node) },
    },`
        : ''
    }
  }
}

export default { contract: 1, name: 'canary', version: '0.1.0', config: { '~standard': { version: 1, vendor: 'test', validate } }, make }
`
}
