import type { Invariant } from '../../invariant.ts'

const CODE = 'too-few-nodes'

export const tooFewNodes: Invariant = {
  name: CODE,
  property:
    'A job is refused as `too-few-nodes` only if it asks for more nodes than are free, and rejected so only if it asks for more than the machine has; where the policy claims exact sizes.',
  begin(model, tally) {
    // A policy that rounds sizes up may need more nodes than the job asks for, and no record says how many.
    if (!model.header.policy.claims.exact_size)
      return 'the policy rounds sizes up, and no record says to how many nodes'
    const { nodes } = model.topology
    return {
      refuse(record) {
        const { job, freeNodes } = model
        if (record.code !== CODE || job === undefined) return
        tally.tested()
        if (job.size <= freeNodes)
          tally.violated(
            record,
            `job ${job.id} asks for ${job.size} nodes and is refused as ${CODE}, but ${freeNodes} are free`,
          )
      },
      reject(record) {
        const { job } = model
        if (record.code !== CODE || job === undefined) return
        tally.tested()
        if (job.size <= nodes)
          tally.violated(
            record,
            `job ${job.id} asks for ${job.size} nodes and is rejected as ${CODE}, but the machine has ${nodes}`,
          )
      },
    }
  },
}
