import { describe, expect, it } from 'vitest'
import { parseShard, shardOfEnvironment } from '../src/given-shard.ts'

describe('shardOfEnvironment, the shard of a process', () => {
  const of = (variables: Readonly<Record<string, number>>) => {
    const found = shardOfEnvironment((name) => (name in variables ? String(variables[name]) : undefined))
    return found === undefined ? undefined : `${found.index}/${found.count}`
  }
  const slurm = (id: number, min: number, max: number, step: number) => ({
    SLURM_ARRAY_TASK_ID: id,
    SLURM_ARRAY_TASK_MIN: min,
    SLURM_ARRAY_TASK_MAX: max,
    SLURM_ARRAY_TASK_STEP: step,
    SLURM_ARRAY_TASK_COUNT: Math.floor((max - min) / step) + 1,
  })

  it('shardOfEnvironment counts shards from 1, whatever the first task number of the batch system is', () => {
    expect([0, 1, 2].map((id) => of(slurm(id, 0, 2, 1)))).toEqual(['1/3', '2/3', '3/3'])
    expect([1, 2, 3].map((id) => of(slurm(id, 1, 3, 1)))).toEqual(['1/3', '2/3', '3/3'])
    expect([10, 15, 20].map((id) => of(slurm(id, 10, 20, 5)))).toEqual(['1/3', '2/3', '3/3'])
    for (const name of ['JOB_COMPLETION_INDEX', 'HQ_TASK_ID', 'SLURM_ARRAY_TASK_ID'])
      for (const base of [0, 1]) {
        const shards = [0, 1, 2].map((at) => of({ [name]: base + at, CLOISTER_SHARDS: 3 }))
        expect(new Set(shards)).toEqual(new Set(['1/3', '2/3', '3/3']))
      }
    expect([0, 1].map((rank) => of({ PMI_RANK: rank, PMI_SIZE: 2 }))).toEqual(['1/2', '2/2'])
    const both = [1, 2].flatMap((id) =>
      [0, 1].map((rank) => of({ ...slurm(id, 1, 2, 1), PMI_RANK: rank, PMI_SIZE: 2 })),
    )
    expect(both).toEqual(['1/4', '2/4', '3/4', '4/4'])
    expect(of({})).toBeUndefined()
  })

  it('shardOfEnvironment throws if the variables do not tell the number of shards', () => {
    expect(() => of({ HQ_TASK_ID: 3 })).toThrow('HQ_TASK_ID does not tell the number of shards')
    expect(() => of({ JOB_COMPLETION_INDEX: 3 })).toThrow('CLOISTER_SHARDS is not set')
    expect(() => of({ ...slurm(3, 1, 9, 1), SLURM_ARRAY_TASK_COUNT: 3 })).toThrow('have no constant distance')
    for (const text of ['0/3', '4/3', '1', '1/0', '-1/3', '1/3/3', 'a/b'])
      expect(() => parseShard(text)).toThrow('expected I/N with I from 1 to N')
  })
})
