import type { Invariant } from '../../invariant.ts'

export const nodeExclusive: Invariant = {
  name: 'node-exclusive',
  property: 'No allocate record names a node that a job holds.',
  begin(model, tally) {
    return {
      allocate(record) {
        tally.tested()
        const nodes = model.named!.nodes
        for (let i = 0; i < nodes.length; i++) {
          if (model.owners[nodes[i]] === 0) continue
          tally.violated(record, `node ${nodes[i]} is allocated, but still belongs to ${model.ownerOf(nodes[i])}`)
          return
        }
      },
    }
  },
}
