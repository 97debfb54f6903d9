import { firstFree, firstNodes, placing, type Policy } from '../sample-policies.ts'

/** Takes every other free node, so that jobs have no neighbouring nodes. The placement is poor, but keeps all claims. */
const policy: Policy = firstNodes({
  policy: { name: 'scatters' },
  place: placing((placement, topology, state, { nodes }) => {
    const free = firstFree(topology, state, Infinity)
    const spread = [...free.filter((_, at) => at % 2 === 0), ...free.filter((_, at) => at % 2 === 1)].slice(0, nodes)
    return { ...placement, nodes: spread.sort((a, b) => a - b) }
  }),
})
export default policy
