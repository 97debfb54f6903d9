import type { Invariant } from '../../invariant.ts'

export const ranks: Invariant = {
  name: 'ranks',
  property:
    'If an allocate record has `ranks`, each node of the allocation has at least one rank, and no other node has a rank.',
  begin(model, tally) {
    const rankOf = new Int32Array(model.topology.nodes)
    return {
      allocate(record) {
        if (record.ranks === undefined || model.named!.malformed !== undefined || model.named!.unknown !== undefined)
          return
        tally.tested()
        const { nodes } = model.named!
        rankOf.fill(-1)
        record.ranks.forEach((node, rank) => {
          rankOf[node] = rank
        })
        const idle = nodes.find((node) => rankOf[node] < 0)
        for (let i = 0; i < nodes.length; i++) rankOf[nodes[i]] = -1
        const elsewhere = record.ranks.find((node) => rankOf[node] !== -1)
        if (elsewhere !== undefined)
          tally.violated(record, `a rank is on node ${elsewhere}, but the allocation does not have this node`)
        else if (idle !== undefined) tally.violated(record, `node ${idle} of the allocation has no rank`)
      },
    }
  },
}
