import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Header, readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { Timeline } from '@cloister/metrics'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Capacity, CapacitySeries } from '../src/results/capacity.ts'
import type { MeasuredCapacity } from '../src/results/metrics.ts'
import { complaint, Folder } from './cloister.ts'

const firstFit = `exec:python3 ${join(import.meta.dirname, '../../../packages/placement/kits/python/first_fit.py')}`

describe('capacity', () => {
  let folder: Folder
  /** Moment with the most idle nodes while a job of at most as many nodes waits. */
  let fragmented: { readonly t: number; readonly value: number }

  beforeAll(async () => {
    folder = new Folder(afterAll)
    await folder.log()
    const records = [...readLog([readFileSync(join(folder.path, 'run.ndjson'))], sha256)]
    const timeline = new Timeline(records[0] as Header)
    for (const record of records) timeline.add(record)
    fragmented = timeline.highest('fragmented', 0, 1e9)!
  })

  const at = async (...more: ReadonlyArray<string>): Promise<Capacity> =>
    (await folder.json('capacity', 'run.ndjson', '--at', `${fragmented.t}`, ...more)) as Capacity

  it('shows the largest job, the jobs of each size, and what lets the head of the queue start, by policy', async () => {
    const found = await at('--policy', 'jigsaw', '--policy', 'baseline', '--policy', firstFit, '--sizes', '2,1,8')
    expect(found).toMatchObject({ idle: fragmented.value, nodes: 54, sizes: [1, 2, 8] })
    const [jigsaw, baseline, python] = found.policies
    expect(jigsaw.largest).toBeLessThan(fragmented.value)
    expect(baseline).toMatchObject({ largest: fragmented.value, isExact: true })
    expect({ ...python, policy: baseline.policy }).toEqual(baseline)
    expect(baseline.jobs).toEqual([1, 2, 8].map((size) => Math.floor(fragmented.value / size)))
    expect(found.inOneLeaf[0]).toBe(fragmented.value)
    expect(found.pods.reduce((sum, { idle }) => sum + idle, 0)).toBe(fragmented.value)
    const state = (await folder.json('state', 'run.ndjson', '--at', `${fragmented.t}`)) as State
    expect(found.waiting).toBe(state.waiting.length)
    expect(found.job?.job).toBe(state.waiting[0].job)
    for (const { start } of found.policies)
      for (const { job, nodes, expectedEnd } of start!.releases)
        expect(state.running).toContainEqual(expect.objectContaining({ job, nodes, expectedEnd }))
    const { stdout, stderr } = await folder.cloister('capacity', 'run.ndjson', '--at', `${fragmented.t}`)
    expect(stdout).toMatch(new RegExp(`^idle nodes +${fragmented.value} of 54$`, 'm'))
    expect(stdout).toMatch(new RegExp(`^jigsaw@\\S+ +${jigsaw.largest} nodes? `, 'm'))
    expect(stderr).toBe('')
  })

  it('after the end that capacity names, or at the time by estimates, the job fits', async () => {
    const { job, policies } = await at()
    const { start } = policies[0]
    if (start!.fits) throw new Error('the head of the queue fits, and the test shows nothing')
    const asked = ['--job', job!.job]
    const later = await folder.cloister('capacity', 'run.ndjson', '--at', `${start!.byEstimates}`, ...asked)
    // The job has started by its time, or fits.
    expect(later.code === 0 ? later.stdout : later.stderr).toMatch(/fits now|does not wait at/)
  })

  it('--every shows the same at each step, and metrics --capacity the means over all times', async () => {
    const series = (await folder.json('capacity', 'run.ndjson', '--every', '500', '--sizes', '2')) as CapacitySeries
    expect(series.steps.map(({ t }) => t).slice(0, 3)).toEqual([0, 500, 1000])
    for (const step of series.steps.slice(1, 4)) {
      const { idle, policies } = (await folder.json('capacity', 'run.ndjson', '--at', `${step.t}`)) as Capacity
      expect({ idle, largest: [policies[0].largest], jobs: policies[0].jobs[1] ?? 0 }).toEqual({
        idle: step.idle,
        largest: step.largest,
        jobs: step.jobs[0][0],
      })
    }
    const measured = (await folder.json('metrics', 'run.ndjson', '--capacity')) as Measured
    const { capacity, nodeTime, makespan } = measured
    const idleShare = nodeTime.noJob + nodeTime.tooFewNodes + nodeTime.fragmented
    expect(makespan).toBeGreaterThan(0)
    expect(capacity.idle! / 54).toBeCloseTo(idleShare, 6)
    expect(capacity.share).toBeGreaterThan(0)
    expect(capacity.share).toBeLessThan(1)
    expect(capacity.steady!.share).toBeLessThanOrEqual(1)
    const { stdout } = await folder.cloister('metrics', 'run.ndjson', 'run.ndjson', '--capacity')
    expect(stdout).toMatch(/^largest job \/ idle nodes +[\d.]+ % +[\d.]+ %$/m)
  })

  it('refuses values and combinations of options without a meaning', async () => {
    const refused: ReadonlyArray<readonly [string, ...ReadonlyArray<string>]> = [
      ['expected sizes such as 4,8,64', '--sizes', '4,x'],
      ['exclude each other', '--every', '10', '--at', '3'],
      ['expected at least 0.001', '--every', '0'],
      ['more than 100,000 steps', '--every', '0.001'],
      ['does not wait at', '--job', 'none'],
      ['found 2 policies', '--policy', 'ta', '--policy', 'laas', '--policy-config', '{}'],
      ['expected capped links in both or in neither', '--policy', 'jigsaw', '--policy-config', '{"sharing":{"capacity":2000}}'],
    ] // prettier-ignore
    for (const [message, ...more] of refused)
      expect(complaint(await folder.cloister('capacity', 'run.ndjson', ...more))).toContain(message)
  })

  it.each([
    ['a machine with absent parts', 'radix:6 without nodes 0-3; leaf 4 ports 1', 'jigsaw'],
    ['a machine with rails', '2 rails of radix:6', 'mosaic'],
    ['capped links', 'radix:6', 'jigsaw'],
  ])('serves %s, and logs with a router', async (what, topology, policy) => {
    const own = new Folder()
    const config = what === 'capped links' ? ['--policy-config', '{"sharing":{"capacity":2000}}', '--bandwidth', 'classes'] : ['--router', 'partition'] // prettier-ignore
    const run = ['--trace', 'synth:6:150', '--topology', topology, '--policy', policy, ...config]
    const made = await own.cloister('simulate', ...run, '--out', 'run.ndjson')
    expect(made, made.stderr).toMatchObject({ code: 0 })
    const { idle, policies } = (await own.json('capacity', 'run.ndjson', '--at', '2000')) as Capacity
    expect(policies[0].largest).toBeLessThanOrEqual(idle)
    const steps = (await own.json('capacity', 'run.ndjson', '--every', '2000')) as CapacitySeries
    expect(steps.steps[1]).toMatchObject({ t: 2000, idle, largest: [policies[0].largest] })
  })

  it('asks Baseline about the log of a real machine, or the policies of --policy', async () => {
    const own = new Folder()
    await own.log()
    expect(await own.cloister('export', 'run.ndjson', '--to', 'sacct', '--out', 'sacct.psv')).toMatchObject({ code: 0 })
    const load = ['import', 'slurm', '--jobs', 'sacct.psv', '--topology', 'radix:6', '--out', 'real.ndjson']
    const imported = await own.cloister(...load)
    expect(imported, imported.stderr).toMatchObject({ code: 0 })
    const plain = await own.cloister('capacity', 'real.ndjson', '--at', '500', '--time', 'clock')
    expect(plain).toMatchObject({ code: 0, stderr: expect.stringContaining('the answers are by baseline') })
    expect(plain.stdout).toContain('expected end, UTC')
    const asked = await own.cloister('capacity', 'real.ndjson', '--at', '500', '--policy', 'jigsaw')
    expect(asked.stderr).toMatch(/the policy of the log gives no links to jobs; jigsaw@\S+ may use every link/)
    expect(asked.stderr).not.toContain('baseline')
    expect(complaint(await own.cloister('metrics', 'real.ndjson', '--capacity'))).toContain(
      '--policy NAME asks another',
    )
  })
})

interface State {
  readonly waiting: ReadonlyArray<{ readonly job: string }>
  readonly running: ReadonlyArray<{ readonly job: string; readonly nodes: string; readonly expectedEnd?: number }>
}

interface Measured {
  readonly capacity: MeasuredCapacity
  readonly makespan: number
  readonly nodeTime: { readonly noJob: number; readonly tooFewNodes: number; readonly fragmented: number }
}
