import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Folder } from './cloister.ts'

/** Returns a trace as SWF. @param jobs id, allocated processors and requested processors of each job */
function swf(...jobs: ReadonlyArray<readonly [id: number, allocated: number, requested: number]>): string {
  return jobs
    .map(
      ([id, allocated, requested]) =>
        `${id} ${id} -1 100 ${allocated} -1 -1 ${requested} 200 -1 1 1 1 -1 -1 -1 -1 -1\n`,
    )
    .join('')
}

/** Slurm's accounting of a cluster with 8 GPUs in each node: a job of a whole node, and a job with 2 GPUs. */
const accounting = [
  'JobID|Submit|Start|End|ElapsedRaw|TimelimitRaw|NNodes|State|NodeList|AllocTRES',
  '1|1700000000|1700000000|1700000300|300|10|1|COMPLETED|node0|cpu=128,gres/gpu=8',
  '2|1700000000|1700000300|1700000400|100|10|1|COMPLETED|node0|cpu=32,gres/gpu=2',
  '',
].join('\n')

const machine = ['--topology', 'radix:4', '--policy', 'baseline'] as const
const said = '1 job is smaller than a node and takes whole nodes, 25.0 % of node-time'

describe('jobs smaller than a node', () => {
  it('jobs smaller than a node are counted in a remark of simulate, sweep, import and trace info', async () => {
    const folder = new Folder()
    folder.write('sacct.psv', accounting)
    folder.write('e.json', JSON.stringify({ cells: [{ trace: 'sacct.psv', topology: 'radix:4', policy: 'baseline' }] }))
    for (const line of [
      ['simulate', '--trace', 'sacct.psv', ...machine],
      ['sweep', 'e.json', '--workers', '1'],
      ['trace', 'info', 'sacct.psv'],
      ['import', 'slurm', '--jobs', 'sacct.psv', '--topology', 'radix:4', '--out', 'real.ndjson'],
      ['simulate', '--trace', 'real.ndjson', ...machine, '--out', 'simulated.ndjson'],
      ['simulate', '--trace', 'simulated.ndjson', ...machine],
      ['trace', 'info', 'real.ndjson'],
    ]) {
      const { code, stderr } = await folder.cloister(...line)
      expect({ code, stderr: stderr.includes(said) }, line.join(' ')).toEqual({ code: 0, stderr: true })
    }
    for (const log of ['real.ndjson', 'simulated.ndjson'])
      expect((await folder.cloister('metrics', log)).stderr).toContain('1 job smaller than a node held whole nodes')
    const smallerThanNode = { jobs: 1, nodeTime: 0.25 }
    expect(await folder.json('simulate', '--trace', 'sacct.psv', ...machine)).toMatchObject({
      workload: { smallerThanNode },
    })
    expect(await folder.json('sweep', 'e.json', '--resume')).toMatchObject({
      results: [{ workload: { smallerThanNode } }],
    })
    expect((await folder.cloister('trace', 'info', 'sacct.psv')).stdout).toMatch(
      /^smaller than a node +1 job \(50\.0 %\), as whole nodes 25\.0 % of node-time$/m,
    )
  })
})

describe('--sizes', () => {
  const trace = swf([1, 8, 4], [2, 4, 4])

  it('--sizes allocated takes the allocated processors as sizes; without --sizes a remark shows the differences', async () => {
    const folder = new Folder()
    folder.write('jobs.swf', trace)
    const run = ['simulate', '--trace', 'jobs.swf', '--procs-per-node', '4', ...machine] as const
    const { stderr } = await folder.cloister(...run, '--out', 'requested.ndjson')
    expect(stderr).toContain(
      '1 job was allocated another number of nodes than requested (50.0 %); the run uses the requested sizes, --sizes allocated uses the allocated sizes',
    )
    await folder.cloister(...run, '--sizes', 'allocated', '--out', 'allocated.ndjson')
    expect(sizes(folder, 'requested.ndjson')).toEqual([1, 1])
    expect(sizes(folder, 'allocated.ndjson')).toEqual([2, 1])
  })

  it('--sizes takes precedence over the size in --filter, and keeps the number of processors per node from the header', async () => {
    const folder = new Folder()
    folder.write('jobs.swf', `; MaxNodes: 16\n; MaxProcs: 64\n${trace}`)
    const info = (...flags: ReadonlyArray<string>) => folder.json('trace', 'info', 'jobs.swf', ...flags)
    expect(await info()).toMatchObject({ nodeProcs: 4, size: { max: 1 } })
    expect(await info('--sizes', 'allocated')).toMatchObject({ nodeProcs: 4, size: { max: 2 } })
    const filter = ['--filter', 'size=allocated/4'] as const
    expect(await info(...filter)).toMatchObject({ size: { max: 2 } })
    expect(await info(...filter, '--sizes', 'requested')).toMatchObject({ size: { max: 1 } })
  })

  it('--sizes is an option of an experiment', async () => {
    const folder = new Folder()
    folder.write('jobs.swf', trace)
    const cell = { trace: 'jobs.swf', procsPerNode: 4, topology: 'radix:4', policy: 'baseline' }
    folder.write('e.json', JSON.stringify({ cells: [{ ...cell, sizes: ['requested', 'allocated'] }] }))
    const { stdout } = await folder.cloister('sweep', 'e.json', '--workers', '1')
    expect(stdout).toMatch(/^trace +sizes +topology /m)
    expect(stdout).toMatch(/^jobs\.swf +allocated +radix:4 /m)
  })
})

function sizes(folder: Folder, log: string): ReadonlyArray<number> {
  const records = readFileSync(join(folder.path, log), 'utf8').trim().split('\n')
  return records.map((line) => JSON.parse(line)).flatMap(({ type, size }) => (type === 'submit' ? [size] : []))
}
