import type { Invariant } from '../../invariant.ts'

export const nodeExclusive: Invariant = {
  name: 'node-exclusive',
  property: 'No job is given a node that another job still holds.',
  begin(machine, tally) {
    return {
      allocate(record) {
        tally.tested()
        const nodes = machine.parts!.nodes
        for (let i = 0; i < nodes.length; i++) {
          if (machine.owners[nodes[i]] === 0) continue
          tally.violated(record, `node ${nodes[i]} still belongs to ${machine.ownerOf(nodes[i])}`)
          return
        }
      },
    }
  },
}
