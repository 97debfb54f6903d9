import { jobCosts, type CommunicatingOnLeaf, scaledRunTime } from '@cloister/communication'
import { type LogRecord, readLog, resourcesOf } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import adaptive from '@cloister/policy-adaptive'
import slurmTree from '@cloister/policy-slurm-tree'
import { parseTopology } from '@cloister/topology'
import { Effect } from 'effect'
import { describe, expect, it } from 'vitest'
import { type GivenSpec, run } from '../src/index.ts'
import { nodeServices } from '../src/node/index.ts'

const matrices = 'halo:staged:4,halo:27-point:6'
const given: GivenSpec = {
  trace: 'synth:5:80:3',
  topology: 'pgft:2;4,6;1,2;1,1',
  policy: 'adaptive',
  queue: 'unreserved:10',
  communication: '70%:recursive-halving-vector-doubling*2+ring*3:60%',
}

async function recordsOf(more: Partial<GivenSpec>): Promise<ReadonlyArray<LogRecord>> {
  const chunks: Array<Uint8Array> = []
  const services = nodeServices({ policies: [adaptive, slurmTree] })
  await Effect.runPromise(
    run({ ...given, ...more }, { sink: (chunk) => chunks.push(chunk) }).pipe(Effect.provide(services)),
  )
  return [...readLog(chunks, sha256)]
}

const topology = parseTopology(given.topology)

/** Costs of each communicating job at its start, computed from the records of a run. */
function costsIn(
  records: ReadonlyArray<LogRecord>,
  cost: 'effective' | 'sized' | 'plain',
): ReadonlyMap<string, ReadonlyArray<number>> {
  const communication = new Map(
    records.flatMap((record) => (record.type === 'submit' ? [[record.job, record.communication] as const] : [])),
  )
  const nodesOf = new Map<string, ReadonlyArray<number>>()
  const costs = new Map<string, ReadonlyArray<number>>()
  for (const record of records) {
    if (record.type === 'release') nodesOf.delete(record.job)
    if (record.type !== 'allocate') continue
    const nodes = Array.from(resourcesOf(record).nodes)
    const own = communication.get(record.job)
    if (own === undefined) continue
    const others: CommunicatingOnLeaf = (leaf) =>
      [...nodesOf.values()].flat().filter((node) => topology.leafOfNode[node] === leaf).length
    costs.set(record.job, jobCosts(topology, others, own, record.ranks ?? nodes, cost))
    nodesOf.set(record.job, nodes)
  }
  return costs
}

const estimatesIn = (records: ReadonlyArray<LogRecord>): ReadonlyMap<string, number> =>
  new Map(
    records.flatMap((each) => (each.type === 'submit' ? [[each.job, Math.round(1000 * each.estimate!)] as const] : [])),
  )

describe('costsFrom', () => {
  it.each(['effective', 'sized', 'plain'] as const)(
    'two-runs scales run times by the costs in the logs of two runs without scaled run times, by the measure %s',
    async (cost) => {
      const [own, byDefault] = [await recordsOf({}), await recordsOf({ policy: 'slurm-tree' })]
      const [costs, old] = [costsIn(own, cost), costsIn(byDefault, cost)]
      const before = estimatesIn(own)
      const scaled = estimatesIn(await recordsOf({ cost, costsFrom: 'two-runs' }))
      let changed = 0
      for (const [job, estimate] of before) {
        const communication = { pattern: given.communication!.split(':')[1], share: 600 }
        const expected = costs.has(job)
          ? scaledRunTime(estimate, communication, costs.get(job)!, old.get(job)!)
          : estimate
        expect(scaled.get(job)).toBe(expected)
        if (expected !== estimate) changed++
      }
      expect(changed).toBeGreaterThan(10)
    },
  )

  it('one-run divides by the placement of slurm-tree at the start of the job, so slurm-tree itself keeps its run times', async () => {
    const before = estimatesIn(await recordsOf({ policy: 'slurm-tree' }))
    expect(estimatesIn(await recordsOf({ policy: 'slurm-tree', costsFrom: 'one-run' }))).toEqual(before)
    expect(estimatesIn(await recordsOf({ costsFrom: 'one-run' }))).not.toEqual(estimatesIn(await recordsOf({})))
  })

  it('the hop-bytes of matrices scale run times, and TopoMatch shortens the jobs of slurm-tree', async () => {
    const plain = await recordsOf({ policy: 'slurm-tree', matrices })
    const mapped = { policy: 'slurm-tree', config: { ranks: 'topomatch' }, matrices, costsFrom: 'one-run' } as const
    const [before, after] = [estimatesIn(plain), estimatesIn(await recordsOf(mapped))]
    const changes = [...before].map(([job, estimate]) => Math.sign(after.get(job)! - estimate))
    expect(changes.filter((change) => change > 0)).toEqual([])
    expect(changes.filter((change) => change < 0).length).toBeGreaterThan(0)
  })

  it('the run fails with costsFrom if no job communicates, or if run times are not fixed', async () => {
    await expect(recordsOf({ communication: 'none', costsFrom: 'one-run' })).rejects.toThrow(
      'costsFrom: no job communicates; set the option communication',
    )
    await expect(recordsOf({ runTimes: 'communication', costsFrom: 'one-run' })).rejects.toThrow(
      'costsFrom: found runTimes communication, expected fixed',
    )
  })
})
