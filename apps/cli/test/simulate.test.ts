import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { Folder, bundle, complaint, namesIn, small } from './cloister.ts'

const run = [...small, '--policy', 'jigsaw'] as const

/** Trace of three jobs as SWF; two of the jobs have a walltime. */
const jobsWithEstimates =
  '1 0 -1 100 -1 -1 -1 4 50 -1 1 -1 -1 -1 -1 -1 -1 -1\n2 10 -1 100 -1 -1 -1 54 200 -1 1 -1 -1 -1 -1 -1 -1 -1\n3 11 -1 7 -1 -1 -1 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n'

describe('cloister simulate', () => {
  it('simulate writes a log, and names the next commands', async () => {
    const folder = new Folder()
    const { code, stdout, stderr } = await folder.cloister('simulate', ...run, '--out', 'run.ndjson')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/policy +jigsaw@/)
    expect(stdout).toContain('300 started, 300 finished')
    expect(stdout).toContain('cloister metrics run.ndjson measures the log')
  })

  it('simulate --rounds repeats the run: the log is the same, and later rounds have times of their own', async () => {
    const folder = new Folder()
    await folder.json('simulate', ...run, '--out', 'once.ndjson')
    const repeated = [...run, '--rounds', '3'] as const
    const names = ['log', 'microsecondsPerJob', 'warmMicrosecondsPerJob']
    const report = await folder.json('simulate', ...repeated, '--out', 'thrice.ndjson')
    expect(report).toMatchObject(Object.fromEntries(names.map((name) => [name, expect.anything()])))
    const [once, thrice] = ['once', 'thrice'].map((name) => readFileSync(join(folder.path, `${name}.ndjson`), 'utf8'))
    expect(thrice).toBe(once)
    expect(complaint(await folder.cloister('simulate', ...run, '--rounds', '0'))).toContain('--rounds: found 0')
    const resumed = ['simulate', ...repeated, '--out', 'once.ndjson', '--resume'] as const
    expect(complaint(await folder.cloister(...resumed))).toContain('--rounds and --resume exclude each other')
    const piped = ['simulate', ...repeated, '--out', '/dev/null'] as const
    expect(complaint(await folder.cloister(...piped))).toContain('/dev/null is a pipe or a device')
  })

  it('simulate --json prints JSON with stable names', async () => {
    const folder = new Folder()
    expect(namesIn(await folder.json('simulate', ...run, '--out', 'run.ndjson'))).toMatchInlineSnapshot(`
      {
        "assumptions": {
          "arrivals": "string",
          "bandwidth": "null",
          "communication": "null",
          "estimates": "string",
          "otherOptions": "null",
          "overrun": "null",
          "part": "null",
          "queue": "string",
          "runTimes": "null",
          "scenario": "null",
          "topology": "string",
          "workload": "string",
        },
        "jobs": {
          "cancelled": "number",
          "finished": "number",
          "killed": "number",
          "rejected": "number",
          "started": "number",
          "submitted": "number",
        },
        "log": {
          "bytes": "number",
          "file": "string",
        },
        "microsecondsPerJob": "number",
        "notPlaced": {
          "rejected": {
            "jobs": "number",
            "nodeTime": "number",
            "share": "number",
          },
          "waiting": {
            "jobs": "number",
            "nodeTime": "number",
            "share": "number",
          },
        },
        "peakMemoryBytes": "number",
        "policy": "string",
        "queue": "string",
        "searchBounds": "number",
        "seconds": "number",
        "topology": "string",
        "workload": {
          "arrivals": "string",
          "differingSizes": {
            "jobs": "number",
            "taken": "string",
          },
          "filter": "string",
          "jobs": "number",
          "name": "string",
          "sha256": "string",
          "smallerThanNode": {
            "jobs": "number",
            "nodeTime": "number",
          },
          "withoutWalltime": "number",
        },
      }
    `)
    expect(await folder.json('simulate', ...run)).toMatchObject({ queue: 'easy:50', jobs: { started: 300 }, log: null })
  })

  it('simulate writes the same bytes twice, compressed or not', async () => {
    const folder = new Folder()
    for (const name of ['a.ndjson', 'b.ndjson', 'a.ndjson.zst', 'b.ndjson.zst']) await folder.log(name)
    const bytes = (name: string): Buffer => readFileSync(join(folder.path, name))
    expect(bytes('a.ndjson').equals(bytes('b.ndjson'))).toBe(true)
    expect(bytes('a.ndjson.zst').equals(bytes('b.ndjson.zst'))).toBe(true)
    expect(decompress(bytes('a.ndjson.zst')).equals(bytes('a.ndjson'))).toBe(true)
  })

  it('simulate overwrites a log only with --force', async () => {
    const folder = new Folder()
    folder.write('run.ndjson', 'precious')
    expect(complaint(await folder.cloister('simulate', ...run, '--out', 'run.ndjson'))).toContain(
      'run.ndjson exists; --force overwrites the log',
    )
    expect(readFileSync(join(folder.path, 'run.ndjson'), 'utf8')).toBe('precious')
    expect((await folder.cloister('simulate', ...run, '--out', 'run.ndjson', '--force')).code).toBe(0)
    expect(complaint(await folder.cloister('simulate', ...run, '--out', 'no/such/folder.ndjson'))).toContain(
      'its folder does not exist',
    )
  })

  it('simulate accepts every value of --queue, --estimates, --overrun and --arrivals', async () => {
    const folder = new Folder()
    folder.write(
      'jobs.swf',
      '1 0 -1 100 -1 -1 -1 4 50 -1 1 -1 -1 -1 -1 -1 -1 -1\n2 10 -1 100 -1 -1 -1 54 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n',
    )
    const machine = ['--trace', 'jobs.swf', '--topology', 'radix:6', '--policy', 'baseline', '--queue', 'fcfs'] as const
    expect(await folder.json('simulate', ...machine, '--estimates', 'requested', '--overrun', 'kill')).toMatchObject({
      queue: 'fcfs',
      jobs: { finished: 1, killed: 1 },
    })
    expect(await folder.json('simulate', ...machine, '--arrivals', 'scale:0.5', '--refusals')).toMatchObject({
      workload: { arrivals: 'scale:0.5', withoutWalltime: 1 },
    })
    expect((await folder.cloister('simulate', ...machine, '--estimates', 'requested')).stderr).toContain(
      '1 of 2 jobs have no walltime',
    )
  })

  it('simulate prints the assumptions of the run, and the reason for the default of --estimates', async () => {
    const folder = new Folder()
    folder.write('jobs.swf', jobsWithEstimates)
    const machine = ['--trace', 'jobs.swf', '--topology', 'radix:6', '--policy', 'baseline'] as const
    const assumed = async (...args: ReadonlyArray<string>): Promise<string> =>
      (await folder.cloister('simulate', ...machine, ...args)).stdout
    expect(await assumed()).toMatch(
      /^topology +radix:6, 54 nodes\nworkload +jobs, 3 jobs\narrivals +trace\nqueue +easy:50\nestimates +requested, because jobs arrive as in the trace and 2 of 3 have a walltime\noverrun +kill: 1 job, by 0\.1 node-hours \(3\.44 %, LARGE\)\n/m,
    )
    expect(await assumed('--estimates', 'requested')).toMatch(/^estimates +requested\n/m)
    const exact = await assumed('--arrivals', 'zero', '--scenario', '10%')
    expect(exact).toMatch(/^arrivals +zero\n[^]*^estimates +exact\n/m)
    expect(exact).not.toMatch(/^overrun|^scenario/m)
  })

  it('simulate prints a warning, like metrics and sweep, if jobs run far beyond their walltimes', async () => {
    const folder = new Folder()
    folder.write('jobs.swf', jobsWithEstimates)
    const spec = { trace: 'jobs.swf', topology: 'radix:6', policy: 'baseline' } as const
    const machine = ['--trace', spec.trace, '--topology', spec.topology, '--policy', spec.policy] as const
    const warning = (by: string): string =>
      `WARNING: 1 job runs beyond the walltime, for 3.4 % of all node-time; the results depend on --overrun (here: ${by})`
    for (const overrun of ['kill', 'run-on', 'clamp', 'extend']) {
      const log = `${overrun}.ndjson`
      const { stderr } = await folder.cloister('simulate', ...machine, '--overrun', overrun, '--out', log)
      expect(stderr).toContain(warning(overrun))
      const measured = await folder.cloister('metrics', log)
      expect(measured.stderr).toContain(warning(overrun))
      expect(measured.stdout).toContain(`${overrun}: 1 job, by 0.1 node-hours (3.44 %, LARGE)`)
    }
    expect((await folder.cloister('simulate', ...machine, '--estimates', 'exact')).stderr).not.toContain('WARNING')
    folder.write('experiment.json', JSON.stringify({ cells: [spec] }))
    expect((await folder.cloister('sweep', 'experiment.json')).stdout).toContain('kill: 1 job, by 0.1 node-hours')
  })

  it('simulate prints a warning if a single small job runs far beyond its walltime', async () => {
    const folder = new Folder()
    const job = (id: number, size: number, runTime: number, estimate: number): string =>
      `${id} ${id} -1 ${runTime} -1 -1 -1 ${size} ${estimate} -1 1 -1 -1 -1 -1 -1 -1 -1\n`
    const others = Array.from({ length: 20 }, (_, at) => job(at + 2, 54, 1000, 1000))
    folder.write('jobs.swf', [job(1, 1, 5000, 50), ...others].join(''))
    const machine = ['--trace', 'jobs.swf', '--topology', 'radix:6', '--policy', 'baseline'] as const
    const warned = async (overrun: string): Promise<ReadonlyArray<boolean>> => {
      const log = `${overrun}.ndjson`
      const said = await folder.cloister('simulate', ...machine, '--overrun', overrun, '--out', log)
      const measured = await folder.cloister('metrics', log)
      return [said.stderr, measured.stderr].map((text) => text.includes('WARNING: 1 job runs beyond'))
    }
    // The time beyond the walltime is less than a hundredth of all node-time, for every value of --overrun.
    for (const overrun of ['kill', 'clamp', 'extend']) expect(await warned(overrun)).toEqual([false, false])
    expect(await warned('run-on')).toEqual([true, true])
    expect((await folder.cloister('metrics', 'run-on.ndjson')).stderr).toContain('delay all other jobs for 82.50 min')
    const cells = [{ trace: 'jobs.swf', topology: 'radix:6', policy: 'baseline', overrun: 'run-on' }]
    folder.write('experiment.json', JSON.stringify({ cells }))
    const swept = await folder.cloister('sweep', 'experiment.json')
    expect(swept.stderr).toContain('WARNING: 1 job runs beyond')
    expect(swept.stdout).toContain('run-on: 1 job, by 1.4 node-hours (0.46 %, LARGE), one by 82.50 min')
  })

  it('simulate prints a remark if --seed has no effect', async () => {
    const folder = new Folder()
    const said = async (...args: ReadonlyArray<string>): Promise<string> =>
      (await folder.cloister('simulate', ...run, ...args)).stderr
    expect(await said('--seed', '7')).toContain('--seed has no effect')
    expect(await said('--seed', '7', '--scenario', '10%')).toContain(
      '--resample weeks:SEED or users:SEED makes replicates',
    )
    for (const drawn of [
      ['--scenario', 'random'],
      ['--bandwidth', 'classes'],
      ['--communication', '50%:recursive-doubling:50%'],
    ])
      expect(await said('--seed', '7', ...drawn)).not.toContain('seed')
    expect(await said()).toBe('')
    // Under Baseline, which claims no speed-up, the scenario leaves the jobs unchanged for every seed.
    const baseline = ['--trace', 'synth:4:20', '--topology', 'radix:6', '--policy', 'baseline'] as const
    const { stderr } = await folder.cloister('simulate', ...baseline, '--seed', '7', '--scenario', 'random')
    expect(stderr).toContain('--seed has no effect')
  })

  it('simulate prints a remark if --overrun has no effect', async () => {
    const folder = new Folder()
    const said = async (...args: ReadonlyArray<string>): Promise<string> =>
      (await folder.cloister('simulate', ...run, ...args)).stderr
    expect(await said('--overrun', 'clamp')).toContain('--overrun has no effect')
    expect(await said('--overrun', 'clamp', '--estimates', 'requested')).not.toContain('has no effect')
  })

  it.each([
    ['--window-order has no effect: the queue is fcfs', ['--queue', 'fcfs', '--window-order', 'largest']],
    ['--replan has no effect: the queue is conservative:5', ['--queue', 'conservative:5', '--replan']],
    ['--move-min-nodes has no effect: the queue is easy:50, res', ['--move-min-nodes', '4', '--reservation', 'fixed']],
    ['--reservation has no effect: the queue is easy:5,kill', ['--queue', 'easy:5,kill', '--reservation', 'fixed']],
  ])('simulate prints the remark: %s', async (text, args) => {
    const { stderr } = await new Folder().cloister('simulate', ...run, ...args)
    expect(stderr).toContain(text)
  })

  it('simulate --resample draws other jobs from a trace', async () => {
    const folder = new Folder()
    const day = 86_400
    const job = (at: number): string =>
      `${at + 1} ${at * day} -1 ${100 + at} -1 -1 -1 1 -1 -1 1 ${at % 3} -1 -1 -1 -1 -1 -1\n`
    folder.write('jobs.swf', Array.from({ length: 30 }, (_, at) => job(at)).join(''))
    const resampled = async (resample: string): Promise<object> =>
      (await folder.json(
        'simulate',
        '--trace',
        'jobs.swf',
        '--topology',
        'radix:4',
        '--policy',
        'baseline',
        '--resample',
        resample,
      )) as object
    expect(await resampled('weeks:7')).toMatchObject({
      workload: { filter: 'resample=weeks:7' },
      jobs: { submitted: 28, finished: 28 },
    })
    expect(await resampled('users:7')).toMatchObject({ jobs: { submitted: 30 } })
    expect(await resampled('drop-first:10')).toMatchObject({ jobs: { submitted: 20 } })
    const { stderr } = await folder.cloister('simulate', ...run, '--resample', 'weeks:1')
    expect(stderr).toContain('expected a log of at least two whole weeks, with arrivals as in the log')
  })

  it.each([
    ['fcfs', 'submit'],
    ['fcfs', 'shortest'],
    ['easy:50', 'smallest'],
    ['easy:9,kill', 'submit'],
    ['easy:9,kill', 'fair-share'],
    ['conservative:5', 'submit'],
    ['conservative:5', 'wfp'],
  ])('simulate accepts --queue %s --order %s', async (queue, order) => {
    const folder = new Folder()
    const words = ['--queue', queue, '--order', order, '--out', 'run.ndjson']
    expect(await folder.json('simulate', ...run, ...words)).toMatchObject({ queue, jobs: { finished: 300 } })
  })

  it('simulate --outages makes nodes fail, and --requeue queues killed jobs again', async () => {
    const folder = new Folder()
    folder.write(
      'outages.ndjson',
      '{"t":100,"type":"down","nodes":"0-17","links":["0-2"]}\n\n{"t":5000,"type":"up","nodes":"0-17","links":["0-2"]}\n',
    )
    const outages = ['--outages', 'outages.ndjson'] as const
    expect(await folder.json('simulate', ...run, ...outages)).toMatchObject({ jobs: { submitted: 300, started: 300 } })
    folder.write('links.ndjson', '{"t":1,"type":"down","link":"leaf0 -> l2-0"}\n')
    const withLinks = ['--policy', 'baseline', '--outages', 'links.ndjson', '--out', 'links.log'] as const
    const ignored = await folder.cloister('simulate', ...small, ...withLinks)
    expect(ignored.stderr).toContain(
      'links go down, but baseline claims no links, so jobs across a leaf without uplinks still run in the simulation; a line with "switch":"leaf1"',
    )
    const state = await folder.cloister('state', 'links.log')
    expect(state.stdout).toMatch(/^down links +leaf0 -> l2-0$/m)
    expect(await folder.json('state', 'links.log')).toMatchObject({
      downLinks: [{ level: 0, link: 0, name: 'leaf0 -> l2-0' }],
    })
    const { jobs } = (await folder.json('simulate', ...run, ...outages, '--requeue')) as {
      jobs: Record<string, number>
    }
    expect(jobs['killed']).toBeGreaterThan(0)
    expect(jobs).toMatchObject({ finished: 300, started: 300 + jobs['killed'] })
    const text = await folder.cloister('simulate', ...run, ...outages, '--requeue', '--out', 'requeued.log')
    expect(text.stdout).toMatch(new RegExp(`^jobs .* ${jobs['killed']} kills?(,|$)`, 'm'))
    expect((await folder.cloister('metrics', 'requeued.log')).stdout).toMatch(/^jobs killed for good +0$/m)
  })

  it('simulate ends at SIGINT', async () => {
    const child = spawn(
      process.execPath,
      [bundle, 'simulate', '--trace', 'synth:16:500000', '--topology', 'radix:16', '--policy', 'jigsaw'],
      { stdio: 'ignore' },
    )
    setTimeout(() => child.kill('SIGINT'), 1500)
    expect(await once(child, 'exit')).toEqual([null, 'SIGINT'])
  })
})

describe('cloister simulate refuses with a message', () => {
  it.each([
    ['an unknown option', ['--polcy', 'x'], 'Unrecognized flag: --polcy'],
    ['a missing option', ['--trace', 'synth:4'], 'Missing required flag'],
    [
      'an unknown queue discipline',
      [...run, '--queue', 'esy'],
      '--queue: found "esy", expected fcfs, easy:WINDOW, conservative:WINDOW, unreserved:WINDOW or counting:WINDOW',
    ],
    ['a window of no job', [...run, '--queue', 'easy:0'], 'expected fcfs, easy:WINDOW'],
    ['a queue option of another discipline', [...run, '--queue', 'fcfs,kill'], '--queue: found "fcfs,kill"'],
    ['a missing outage file', [...run, '--outages', 'none.ndjson'], 'none.ndjson'],
    ['an unknown kind of estimates', [...run, '--estimates', 'guess'], 'exact'],
    ['unknown arrivals', [...run, '--arrivals', 'late'], "found \"late\", expected 'trace', 'zero' or 'scale:0.5'"],
    [
      'a filter by an unknown field',
      [...run, '--filter', 'colour=red'],
      'filter: found "colour=red", expected one of the fields',
    ],
    ['a filter without a matching job', [...run, '--filter', 'nodes>999'], 'no job is left of the 300'],
    [
      'a topology of an odd radix',
      ['--trace', 'synth:4', '--topology', 'radix:7', '--policy', 'jigsaw'],
      'expected an even number from 4',
    ],
    [
      'a missing topology file',
      ['--trace', 'synth:4', '--topology', 'slurm:no.conf', '--policy', 'jigsaw'],
      'cannot read the file: no.conf: there is no such file',
    ],
    ['an unknown trace', ['--trace', 'thundr', '--topology', 'radix:6', '--policy', 'jigsaw'], 'did you mean thunder?'],
    [
      'a preset without its file',
      ['--trace', 'thunder', '--topology', 'radix:18', '--policy', 'jigsaw'],
      '--trace-dir DIR or the variable CLOISTER_TRACE_DIR sets the folder of the traces',
    ],
    [
      'invalid JSON',
      [...run, '--policy-config', '{depth:1}'],
      '--policy-config: line 1, column 2: expected a key in double quotes, found "depth"; expected JSON',
    ],
    [
      'an unknown field of a config',
      [...run, '--policy-config', '{"depth":1}'],
      'policy jigsaw: config {"depth":1} is not valid: depth',
    ],
  ])('simulate refuses %s, with a message', async (_, args, message) => {
    expect(complaint(await new Folder().cloister('simulate', ...args))).toContain(message)
  })

  it.each([
    ['{"t":1,"type":"down","nodes":"99"}', 'node 99 does not exist: ids go from 0 to 53'],
    ['{"t":1,"type":"broken","nodes":"9"}', 'Expected "down" | "up"'],
    ['{"t":1,"type":"up","nodes":"9"}', 'node9 is not down'],
    ['{"t":1,"type":"down","nodes":"9,3"}', 'expected such as {"t":3600,"type":"down","nodes":"17"}'],
    ['{"t":0.5,"type":"down","nodes":"9"}', 't: found 0.5, expected at least 1, the time of the line before'],
    ['down', 'expected such as {"t":3600,"type":"down","nodes":"17"}'],
  ])('simulate refuses an outage file with the line %s', async (line, message) => {
    const folder = new Folder()
    folder.write('outages.ndjson', `{"t":1,"type":"down","nodes":"1"}\n${line}\n`)
    expect(complaint(await folder.cloister('simulate', ...run, '--outages', 'outages.ndjson'))).toContain(
      `--outages: outages.ndjson, line 2: `,
    )
    expect(complaint(await folder.cloister('simulate', ...run, '--outages', 'outages.ndjson'))).toContain(message)
  })

  it('simulate refuses a wrong field of a trace, with file, line and name of the field', async () => {
    const folder = new Folder()
    folder.write(
      'bad.swf',
      '; Version: 2.2\n1 0 -1 10 -1 -1 -1 4 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n2 0 -1 ten -1 -1 -1 4 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n',
    )
    expect(
      complaint(await folder.cloister('simulate', '--trace', 'bad.swf', '--topology', 'radix:6', '--policy', 'jigsaw')),
    ).toMatch(/bad\.swf, line 3, field runTime: found "ten", expected a number/)
  })
})

/** Decompresses a log frame by frame, because the decoder of Node stops after the first frame. */
function decompress(bytes: Buffer): Buffer {
  const frames: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    const { buffer, engine } = zstdDecompressSync(bytes.subarray(at), { info: true }) as unknown as {
      buffer: Buffer
      engine: { bytesWritten: number }
    }
    frames.push(buffer)
    at += engine.bytesWritten
  }
  return Buffer.concat(frames)
}
