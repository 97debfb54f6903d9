import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Folder, bundle, complaint, namesIn } from './cloister.ts'

interface Result {
  readonly cell: Readonly<Record<string, unknown>>
  readonly [field: string]: unknown
}

const small = { trace: 'synth:4:200', topology: 'radix:6' }

/** Returns a folder with an experiment file of the given cells. */
function experiment(...cells: ReadonlyArray<object>): Folder {
  const folder = new Folder()
  folder.write('experiment.json', JSON.stringify({ cells }))
  return folder
}

const results = (folder: Folder, name = 'experiment.results.ndjson'): ReadonlyArray<Result> =>
  readFileSync(join(folder.path, name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Result)
const byKey = (list: ReadonlyArray<Result>): ReadonlyArray<Result> =>
  [...list].sort((a, b) => (JSON.stringify(a.cell) < JSON.stringify(b.cell) ? -1 : 1))
/** Returns the results of a sweep without the measured times, which differ from run to run. */
const lasting = (list: ReadonlyArray<Result>): ReadonlyArray<Result> =>
  byKey(list).map((result) => ({ ...result, seconds: 0, microsecondsPerJob: 0 }))

describe('cloister sweep', () => {
  it('sweep runs every combination of values once, and prints a row for each run', async () => {
    const folder = experiment(
      {
        ...small,
        policy: ['baseline', { name: 'jigsaw', config: { order: 'sparsest-first' } }],
        queue: ['fcfs', 'easy:9'],
        seed: [1, 2],
        scenario: '20%',
      },
      { ...small, policy: 'baseline', queue: 'easy:9', seed: 2, scenario: '20.0%', overrun: 'kill', filter: '' },
    )
    const { code, stdout } = await folder.cloister('sweep', 'experiment.json')
    expect(code).toBe(0)
    expect(stdout.split('\n').filter((line) => line.startsWith('synth:4:200'))).toHaveLength(8)
    expect(stdout).toContain('8 results in experiment.results.ndjson')
    expect(byKey(results(folder)).map(({ cell }) => JSON.stringify(cell))).toMatchInlineSnapshot(`
      [
        "{"trace":"synth:4:200","topology":"radix:6","policy":"baseline","queue":"easy:9","scenario":"20%","seed":2}",
        "{"trace":"synth:4:200","topology":"radix:6","policy":"baseline","queue":"easy:9","scenario":"20%"}",
        "{"trace":"synth:4:200","topology":"radix:6","policy":"baseline","queue":"fcfs","scenario":"20%","seed":2}",
        "{"trace":"synth:4:200","topology":"radix:6","policy":"baseline","queue":"fcfs","scenario":"20%"}",
        "{"trace":"synth:4:200","topology":"radix:6","policy":"jigsaw","config":{"order":"sparsest-first"},"queue":"easy:9","scenario":"20%","seed":2}",
        "{"trace":"synth:4:200","topology":"radix:6","policy":"jigsaw","config":{"order":"sparsest-first"},"queue":"easy:9","scenario":"20%"}",
        "{"trace":"synth:4:200","topology":"radix:6","policy":"jigsaw","config":{"order":"sparsest-first"},"queue":"fcfs","scenario":"20%","seed":2}",
        "{"trace":"synth:4:200","topology":"radix:6","policy":"jigsaw","config":{"order":"sparsest-first"},"queue":"fcfs","scenario":"20%"}",
      ]
    `)
  })

  it('sweep keeps `size=…` in a filter even with the default value, because the term replaces the size of a preset', async () => {
    const filters = ['', 'size=requested', 'size=requested/1,runtime>0', 'size=requested/2,runtime>0']
    const folder = experiment({ ...small, policy: 'baseline', filter: filters })
    expect((await folder.cloister('sweep', 'experiment.json', '--no-audit')).code).toBe(0)
    expect(new Set(results(folder).map(({ cell }) => cell['filter']))).toEqual(
      new Set([undefined, 'size=requested', 'size=requested,runtime>0', 'size=requested/2,runtime>0']),
    )
  })

  it('sweep --keep-logs writes the same logs as simulate, and results have metrics and audit of each log', async () => {
    const folder = experiment({
      ...small,
      policy: 'jigsaw',
      queue: 'easy:9',
      scenario: 'random',
      bandwidth: 'classes',
      router: ['none', 'partition'],
      seed: 7,
    })
    const outcome = (await folder.json('sweep', 'experiment.json', '--keep-logs', 'logs')) as {
      results: ReadonlyArray<Result>
      skipped: ReadonlyArray<unknown>
    }
    expect({ ...outcome, results: lasting(outcome.results) }).toEqual({
      results: lasting(results(folder)),
      skipped: [],
      notPlaced: [],
    })
    await folder.cloister(
      'simulate',
      '--trace',
      small.trace,
      '--topology',
      small.topology,
      '--policy',
      'jigsaw',
      '--queue',
      'easy:9',
      '--scenario',
      'random',
      '--bandwidth',
      'classes',
      '--router',
      'partition',
      '--seed',
      '7',
      '--out',
      'run.ndjson',
    )
    const result = outcome.results.find(({ cell }) => cell['router'] === 'partition')!
    const bytes = readFileSync(join(folder.path, 'run.ndjson'))
    const { assumptions, ...metrics } = (await folder.json('metrics', 'run.ndjson')) as { readonly assumptions: object }
    expect(result).toMatchObject({
      log: { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') },
      metrics,
      assumptions,
      audit: { ok: true, violations: {} },
    })
    const kept = readdirSync(join(folder.path, 'logs'))
    expect(kept).toHaveLength(2)
    expect(kept[0]).toMatch(/^synth-4-200_radix-6_jigsaw_easy-9_random_[0-9a-f]{8}\.ndjson\.zst$/)
    expect(await folder.json('metrics', join('logs', kept[0]))).toEqual({
      ...(result['metrics'] as object),
      assumptions,
    })
    expect(namesIn({ ...result, metrics: {} })).toMatchInlineSnapshot(`
      {
        "assumptions": {
          "arrivals": "string",
          "bandwidth": "string",
          "communication": "null",
          "estimates": "string",
          "otherOptions": "string",
          "overrun": "null",
          "part": "null",
          "queue": "string",
          "runTimes": "null",
          "scenario": "string",
          "topology": "string",
          "workload": "string",
        },
        "audit": {
          "ok": "boolean",
          "tests": "number",
          "untestedClaims": [],
          "violations": {},
        },
        "build": "string",
        "cell": {
          "bandwidth": "string",
          "policy": "string",
          "queue": "string",
          "router": "string",
          "scenario": "string",
          "seed": "number",
          "topology": "string",
          "trace": "string",
        },
        "instantaneousPercents": [
          "number",
        ],
        "log": {
          "bytes": "number",
          "sha256": "string",
        },
        "metrics": {},
        "microsecondsPerJob": "number",
        "policy": "string",
        "program": "string",
        "scenario": "string",
        "searchBounds": "number",
        "seconds": "number",
        "totals": {
          "cancelled": "number",
          "finished": "number",
          "killed": "number",
          "rejected": "number",
          "started": "number",
          "submitted": "number",
        },
        "workload": {
          "arrivals": "string",
          "filter": "string",
          "jobs": "number",
          "name": "string",
          "sha256": "string",
          "smallerThanNode": {
            "jobs": "number",
            "nodeTime": "number",
          },
        },
      }
    `)
  })

  it('sweep shows a column for estimates whose defaults differ, and prints once that --seed has no effect', async () => {
    const folder = experiment({ ...small, trace: ['jobs.swf', 'synth:4:20'], policy: 'baseline', seed: [1, 2, 3] })
    folder.write('jobs.swf', '1 0 -1 100 -1 -1 -1 4 50 -1 1 -1 -1 -1 -1 -1 -1 -1\n')
    const { stdout, stderr } = await folder.cloister('sweep', 'experiment.json')
    expect(stdout).toMatch(/^trace .* estimates /m)
    expect(stdout).toMatch(/^jobs\.swf .* requested /m)
    expect(stdout).toMatch(/^synth:4:20 .* exact /m)
    expect(stderr.split('--seed has no effect')).toHaveLength(2)
  })

  it('sweep prints a remark on resamplings that are no replicates, and refuses weeks without the arrivals of the trace', async () => {
    const cells = {
      trace: 'jobs.swf',
      topology: 'radix:4',
      policy: 'baseline',
      resample: [...[1, 2, 3, 4, 5, 6].map((seed) => `weeks:${seed}`), 'none', 'drop-first:1', 'drop-first:2'],
    }
    const folder = experiment(cells)
    const job = (id: number): string => `${id} ${id * 604_800} -1 ${id} -1 -1 -1 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n`
    folder.write('jobs.swf', [1, 2, 3].map(job).join(''))
    const { stderr } = await folder.cloister('sweep', 'experiment.json')
    expect(stderr).toMatch(/^jobs\.swf: weeks:\d, weeks:\d.* draw the same jobs, and count as one replicate$/m)
    expect(stderr).toMatch(/^drop-first:1, drop-first:2 are no replicates, and have no interval/m)
    const atOnce = experiment({ ...cells, arrivals: ['trace', 'zero'] })
    expect(complaint(await atOnce.cloister('sweep', 'experiment.json'))).toContain(
      'cells[0].resample: found weeks:1 with arrivals zero: weeks need the arrivals of the trace ("arrivals": "trace"); users:SEED needs no arrivals',
    )
  })

  it('sweep --resume after a kill runs no finished run again, and gives the same results', async () => {
    const cells = {
      trace: 'synth:8:1500',
      topology: 'radix:8',
      policy: ['baseline', 'jigsaw'],
      seed: [1, 2, 3, 4],
      scenario: 'v1',
    }
    const [killed, whole] = [experiment(cells), experiment(cells)]
    const path = join(killed.path, 'experiment.results.ndjson')
    const child = spawn(process.execPath, [bundle, 'sweep', 'experiment.json', '--workers', '2'], {
      cwd: killed.path,
      stdio: 'ignore',
    })
    while (!existsSync(path) || readFileSync(path, 'utf8').split('\n').length < 3)
      await new Promise((resolve) => setTimeout(resolve, 10))
    child.kill('SIGKILL')
    await once(child, 'exit')
    const before = readFileSync(path, 'utf8')
    expect(results(killed).length).toBeLessThan(8)

    // Cuts the file of results in the middle of a line, as a kill would.
    appendFileSync(path, '{"cell":{"trace":"synth:8:1500","topol')
    expect(complaint(killed.process('sweep', 'experiment.json'))).toContain(
      'experiment.results.ndjson exists; --resume keeps the results, --force removes the results',
    )
    const resumed = killed.process('sweep', 'experiment.json', '--resume')
    expect(resumed.code).toBe(0)
    expect(resumed.stderr).toContain('the last line was torn and is cut off; the cell of this line runs again')
    expect(resumed.stderr).toContain(
      `experiment.results.ndjson already has ${before.split('\n').length - 1} results of the experiment`,
    )
    whole.process('sweep', 'experiment.json', '--workers', '1')
    expect(readFileSync(path, 'utf8')).toBe(readFileSync(join(whole.path, 'experiment.results.ndjson'), 'utf8'))

    const changed = statSync(path).mtimeMs
    expect(killed.process('sweep', 'experiment.json', '--resume').stdout).toContain('8 results')
    expect(statSync(path).mtimeMs).toBe(changed)
  })

  it('sweep --resume runs a cell again if its result is from another version, or lacks the audit or the log', async () => {
    const folder = experiment({ ...small, policy: 'baseline' })
    const lines = (): number => results(folder).length
    await folder.cloister('sweep', 'experiment.json', '--no-audit')
    expect(results(folder)[0]['audit']).toBeNull()
    await folder.cloister('sweep', 'experiment.json', '--no-audit', '--resume')
    expect(lines()).toBe(1)
    await folder.cloister('sweep', 'experiment.json', '--resume')
    expect(lines()).toBe(2)
    await folder.cloister('sweep', 'experiment.json', '--resume', '--keep-logs', 'logs')
    // The repeated cell of the same versions has the same result, which the file has only once.
    expect([lines(), readdirSync(join(folder.path, 'logs')).length]).toEqual([2, 1])
    folder.write(
      'experiment.results.ndjson',
      `${JSON.stringify({ ...results(folder)[1], policy: 'baseline@0.9.0' })}\n`,
    )
    await folder.cloister('sweep', 'experiment.json', '--resume')
    expect(results(folder).map(({ policy }) => policy)).toEqual([
      'baseline@0.9.0',
      expect.not.stringContaining('0.9.0'),
    ])
    await folder.cloister('sweep', 'experiment.json', '--force')
    expect(lines()).toBe(1)
  })

  it('sweep exits with 1 if the audit of a log finds a violation', async () => {
    const folder = experiment({ ...small, policy: ['baseline', './liar.mjs'] })
    folder.write(
      'liar.mjs',
      `export default {
      contract: 1, name: 'liar', version: '1.0.0', config: { '~standard': { version: 1, vendor: 'none', validate: (value) => ({ value }) } },
      make: (topology) => ({
        claims: { links: 'owned', rule: 'jigsaw-conditions', fullBandwidth: true, exactSize: true, monotone: true, complete: false, speedupScenarios: true },
        place: (state, request) => {
          const nodes = Array.from({ length: topology.nodes }, (_, node) => node).filter((node) => state.isNodeFree(node))
          return request.nodes > nodes.length ? { ok: false, code: 'too-few-nodes', free: nodes.length } : { ok: true, nodes: nodes.slice(0, request.nodes), links: [] }
        },
      }),
    }`,
    )
    const { code, stdout, stderr } = await folder.cloister('sweep', 'experiment.json')
    expect(code).toBe(1)
    expect(stdout).toMatch(/liar\.mjs.*FAILED/)
    expect(stdout).toMatch(/baseline.*ok/)
    expect(stderr).toMatch(/audit: synth:4:200, radix:6, \.\/liar\.mjs, easy:50: .* violated [\d,]+ times/)
  })

  it('sweep prints the failed runs with the reasons first, and runs the other cells', async () => {
    const folder = experiment(
      { trace: ['thunder', small.trace], topology: small.topology, policy: ['baseline', 'jigsaw'] },
      { ...small, policy: { name: 'jigsaw', config: { order: 'best' } } },
    )
    const { code, stdout, stderr } = await folder.cloister('sweep', 'experiment.json')
    expect(code).toBe(3)
    expect(stdout).toMatch(/^3 of 5 runs failed; the table has the remaining 2 runs\.\n\ntrace .*\n/)
    expect(stdout).toContain('2 results in')
    expect(stderr).toMatch(
      /^3 of 5 runs failed:\n  2 runs, first thunder, radix:6, baseline, easy:50: the log 'thunder' .* is not in any folder/,
    )
    expect(stderr).toMatch(
      /^  1 run synth:4:200, radix:6, jigsaw {"order":"best"}, easy:50: policy jigsaw: config .* is not valid/m,
    )
    expect((await folder.cloister('sweep', 'experiment.json', '--resume')).code).toBe(3)
  })

  it('sweep prints an error with the reasons, and no table, if all runs fail', async () => {
    const folder = experiment(
      { trace: ['missing.swf', 'lost.swf'], topology: small.topology, policy: 'baseline', queue: ['fcfs', 'easy:9'] },
      { ...small, policy: { name: 'jigsaw', config: { order: 'best' } } },
    )
    const { code, stdout, stderr } = await folder.cloister('sweep', 'experiment.json')
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(
      /^cloister: none of the 5 runs has a result\n  2 runs, first missing\.swf, radix:6, baseline, fcfs: .*missing\.swf.*\n/,
    )
    expect(stderr).toMatch(
      /^  2 runs, first lost\.swf, .*\n  1 run synth:4:200, .*\n  .*--resume runs the failed cells again\n$/m,
    )
    const answer = await folder.cloister('sweep', 'experiment.json', '--resume', '--json')
    expect([answer.code, JSON.parse(answer.stdout)]).toEqual([
      2,
      { results: [], skipped: Array(5).fill({ cell: expect.any(Object), reason: expect.any(String) }) },
    ])
    folder.write('missing.swf', '1 0 -1 100 -1 -1 -1 4 50 -1 1 -1 -1 -1 -1 -1 -1 -1\n')
    expect((await folder.cloister('sweep', 'experiment.json', '--resume')).code).toBe(3)
    expect(results(folder)).toHaveLength(2)
  })

  it('sweep writes the same bytes in the order of the experiment with one worker, many workers, and by sweep merge', () => {
    // The first cells take longest, so that with many workers later cells end before the first cells.
    const jobs = [3000, 1500, 20, 19, 18, 17].map((count) => `synth:8:${count}`)
    const folder = experiment({ trace: jobs, topology: 'radix:8', policy: ['baseline', 'jigsaw'] })
    const run = (...args: ReadonlyArray<string>): void =>
      expect(folder.process('sweep', ...args)).toMatchObject({ code: 0 })
    run('experiment.json', '--workers', '1', '--out', 'one.ndjson')
    run('experiment.json', '--workers', '6', '--out', 'many.ndjson')
    run('experiment.json', '--shard', '2/2', '--workers', '3')
    run('experiment.json', '--shard', '1/2', '--claim', '--workers', '3')
    run('merge', 'experiment.json', '--out', 'merged.ndjson')
    const text = (name: string): string => readFileSync(join(folder.path, name), 'utf8')
    const one = text('one.ndjson')
    expect(results(folder, 'one.ndjson').map(({ cell }) => cell['trace'])).toEqual(jobs.flatMap((job) => [job, job]))
    expect(text('many.ndjson')).toBe(one)
    expect(text('merged.ndjson')).toBe(one)
    const order = (name: string): ReadonlyArray<unknown> =>
      text(name)
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { readonly cell: string }).cell)
    expect(order('many.times.ndjson')).toEqual(order('one.times.ndjson'))
    expect(order('merged.times.ndjson')).toEqual(order('one.times.ndjson'))
  })
})

describe('cloister sweep refuses with a message an experiment with', () => {
  it.each([
    [
      'no JSON',
      'cells: []',
      'experiment.json: line 1, column 1: expected a value, found "cells"; expected JSON, such as {"cells":',
    ],
    ['no cells', '{}', 'experiment.json: cells: is missing; expected a list'],
    [
      'an unknown field',
      '{"cells":[{"trace":"synth:4","topology":"radix:6","policy":"baseline","sede":1}]}',
      'experiment.json: cells[0].sede: no field has this name; did you mean seed?',
    ],
    [
      'an unknown field of a policy',
      '{"cells":[{"trace":"synth:4","topology":"radix:6","policy":{"name":"jigsaw","confg":{}}}]}',
      'experiment.json: cells[0].policy.confg: no field has this name; did you mean config?',
    ],
    [
      'a missing field',
      '{"cells":[{"topology":"radix:6","policy":"baseline"}]}',
      'experiment.json: cells[0].trace: is missing; expected a text',
    ],
    [
      'a text as seed',
      '{"cells":[{"trace":"synth:4","topology":"radix:6","policy":"baseline","seed":"one"}]}',
      'experiment.json: cells[0].seed: found "one", expected a whole number, or a list',
    ],
    [
      'a wrong trace',
      '{"cells":[{"trace":"synth:0","topology":"radix:6","policy":"baseline"}]}',
      'experiment.json: cells[0].trace: found "synth:0"',
    ],
    [
      'a wrong topology',
      '{"cells":[{"trace":"synth:4","topology":["radix:6","radix:7"],"policy":"baseline"}]}',
      'experiment.json: cells[0].topology: ',
    ],
    [
      'a wrong queue',
      '{"cells":[{"trace":"synth:4","topology":"radix:6","policy":"baseline","queue":"easy"}]}',
      'experiment.json: cells[0].queue: found "easy"',
    ],
    [
      'an unknown scenario',
      '{"cells":[{"trace":"synth:4","topology":"radix:6","policy":"baseline","scenario":"fast"}]}',
      'experiment.json: cells[0].scenario: found "fast", expected none',
    ],
    [
      'an unknown policy',
      '{"cells":[{"trace":"synth:4","topology":"radix:6","policy":"jigsow"}]}',
      'there is no policy "jigsow"; did you mean jigsaw?',
    ],
  ])('sweep refuses an experiment with %s', async (_, text, message) => {
    const folder = new Folder()
    folder.write('experiment.json', text)
    expect(complaint(await folder.cloister('sweep', 'experiment.json'))).toContain(message)
    expect(readdirSync(folder.path)).toEqual(['experiment.json'])
  })

  it('sweep refuses a file of results with other lines, or another file, or a wrong --workers', async () => {
    const folder = experiment({ ...small, policy: 'baseline' })
    writeFileSync(join(folder.path, 'r.ndjson'), '{"cell":{}}\n')
    expect(complaint(await folder.cloister('sweep', 'experiment.json', '--out', 'r.ndjson', '--resume'))).toContain(
      'r.ndjson, line 1: found "{\\"cell\\":{}}"',
    )
    folder.write('notes.txt', 'precious, without a line end')
    expect(complaint(await folder.cloister('sweep', 'experiment.json', '--out', 'notes.txt', '--resume'))).toContain(
      'notes.txt: found "precious',
    )
    expect(readFileSync(join(folder.path, 'notes.txt'), 'utf8')).toBe('precious, without a line end')
    expect(complaint(await folder.cloister('sweep', 'experiment.json', '--workers', '0'))).toContain(
      '--workers: found 0, expected 1 to 1024',
    )
    expect(complaint(await folder.cloister('sweep', 'nothing.json'))).toContain('nothing.json: there is no such file')
  })
})
