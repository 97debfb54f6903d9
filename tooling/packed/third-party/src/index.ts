import type { PlacementPolicy } from '@cloister/placement'

export interface Config {
  /** Number of leaves at the end of the machine that stay free. */
  readonly spare: number
}

/** Policy that fills leaves from the last to the first. The file imports only types, and so no library at run time. */
const lastLeaf: PlacementPolicy<Config> = {
  contract: 1,
  name: 'last-leaf',
  version: '0.1.0',
  config: {
    '~standard': {
      version: 1,
      vendor: 'last-leaf',
      validate: (value) => {
        if (typeof value === 'object' && value !== null) {
          const { spare = 0, ...others }: { spare?: unknown } = value
          if (typeof spare === 'number' && Number.isInteger(spare) && spare >= 0 && Object.keys(others).length === 0)
            return { value: { spare } }
        }
        return { issues: [{ message: 'expected an object with at most `spare`, a number of leaves' }] }
      },
    },
  },
  make: (topology, { spare }) => {
    const leaves = topology.leaves - spare
    if (leaves <= 0) return { unsupported: `has ${topology.leaves} leaves, and ${spare} shall stay free` }
    const scratch = new Int32Array(topology.nodes)
    return {
      claims: {
        links: 'shared',
        fullBandwidth: false,
        exactSize: true,
        monotone: true,
        complete: false,
        speedupScenarios: false,
      },
      place: (state, { nodes }) => {
        if (nodes > topology.nodes) return { ok: false, code: 'never', constraint: 'machine size' }
        if (nodes > state.freeNodes) return { ok: false, code: 'too-few-nodes', free: state.freeNodes }
        let taken = 0
        for (let leaf = leaves - 1; leaf >= 0 && taken < nodes; leaf--) taken += state.freeNodeIds(leaf, scratch, taken)
        if (taken < nodes) return { ok: false, code: 'no-placement', constraint: 'nodes outside the spare leaves' }
        return { ok: true, nodes: scratch.slice(0, nodes).sort(), links: [] }
      },
    }
  },
}
export default lastLeaf
