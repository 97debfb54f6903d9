import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Folder, complaint, namesIn, small } from './cloister.ts'

/** Returns the code of a policy that takes the first free nodes from a given node on. */
function policySource(from: number): string {
  return `
const validate = (value) => ({ value })
export default {
  contract: 1, name: 'mine', version: '0.1.0', config: { '~standard': { version: 1, vendor: 'test', validate } },
  make: (topology) => ({
    claims: { links: 'shared', fullBandwidth: false, exactSize: true, monotone: true, complete: true, speedupScenarios: false },
    place: (state, { nodes: size, job }) => {
      if (size > topology.nodes) return { ok: false, code: 'never', constraint: 'machine size' }
      if (size > state.freeNodes) return { ok: false, code: 'too-few-nodes', free: state.freeNodes }
      const nodes = []
      const first = job === '1' ? ${from} : 0
      for (let node = 0; nodes.length < size; node++) {
        const id = (node + first) % topology.nodes
        if (state.isNodeFree(id)) nodes.push(id)
      }
      return { ok: true, nodes: nodes.sort((a, b) => a - b), links: [] }
    },
  }),
}
`
}

describe('cloister rerun', () => {
  it('rerun reports that the policy decides as in the log, also for logs with routes, refusals and outages', async () => {
    const folder = new Folder()
    folder.write('outages.ndjson', '{"t":900,"type":"down","nodes":"5-7"}\n{"t":4000,"type":"up","nodes":"5-7"}\n')
    const answer = await folder.cloister(
      'simulate',
      ...small,
      '--policy',
      'jigsaw',
      '--router',
      'partition',
      '--refusals',
      '--outages',
      'outages.ndjson',
      '--requeue',
      '--queue',
      'easy:20',
      '--order',
      'wfp',
      '--out',
      'run.ndjson.zst',
    )
    expect(answer.code).toBe(0)
    const { code, stdout } = await folder.cloister('rerun', 'run.ndjson.zst')
    expect(stdout).toMatch(/^equal: jigsaw@\d\S* decides again as in all [\d,]+ records of the log$/m)
    expect(code).toBe(0)
  })

  it('rerun stops at the first record that differs, and shows both records, the state and the answer of the policy', async () => {
    const folder = new Folder()
    folder.write('mine.mjs', policySource(0))
    await folder.log('run.ndjson', './mine.mjs')
    expect((await folder.cloister('rerun', 'run.ndjson', '--policy', './mine.mjs')).code).toBe(0)
    folder.write('changed.mjs', policySource(9))
    const { code, stdout } = await folder.cloister('rerun', 'run.ndjson', '--policy', './changed.mjs')
    expect(code).toBe(1)
    const recorded = readFileSync(join(folder.path, 'run.ndjson'), 'utf8')
      .split('\n')
      .find((line) => line.includes('"type":"allocate","job":"1"'))!
    const seq = JSON.parse(recorded).seq as number
    expect(stdout).toContain(`first difference  record ${seq}, `)
    expect(stdout).toContain(`in the log        ${recorded}`)
    expect(stdout).toMatch(/^in the rerun {6}\{"seq":\d+,"t":[\d.]+,"type":"allocate","job":"1","nodes":"/m)
    expect(stdout).toMatch(/^policy answers {4}job 1: nodes /m)
    expect(
      JSON.parse((await folder.cloister('rerun', 'run.ndjson', '--policy', './changed.mjs', '--json')).stdout),
    ).toMatchObject({ equal: false, compared: seq, difference: { seq, recorded: JSON.parse(recorded) } })
  })

  it('rerun refuses a header with an unknown value of run_times, which would turn off checks', async () => {
    const folder = new Folder()
    const [header] = readFileSync(join(folder.path, await folder.log()), 'utf8').split('\n')
    folder.write('placed.ndjson', `${header.replace('"estimates"', '"runTimes":"test","estimates"')}\n`)
    for (const command of [['rerun'], ['metrics'], ['state']]) {
      const { code, stderr } = await folder.cloister(...command, 'placed.ndjson')
      expect(stderr).toMatch(/corrupt at byte 0, line 1: not a valid header record: .*contention.*runTimes/)
      expect(code).toBe(2)
    }
    expect((await folder.cloister('audit', 'placed.ndjson')).code).toBe(2)
  })

  it('rerun compares an incomplete log up to the last record', async () => {
    const folder = new Folder()
    const text = readFileSync(join(folder.path, await folder.log()), 'utf8')
    folder.write('torn.ndjson', text.slice(0, Math.floor(text.length * 0.7)))
    const { code, stdout, stderr } = await folder.cloister('rerun', 'torn.ndjson')
    expect(stdout).toMatch(/^equal: /)
    expect(stderr).toContain('torn')
    expect(code).toBe(3)
  })

  it('rerun --policy asks another policy about every decision of the log', async () => {
    const folder = new Folder()
    await folder.log()
    const result = (await folder.json('rerun', 'run.ndjson', '--policy', 'baseline', '--limit', '3')) as {
      counts: Record<string, number>
      differences: ReadonlyArray<unknown>
    }
    expect(namesIn(result)).toEqual({
      policy: 'string',
      config: {},
      counts: { same: 'number', elsewhere: 'number', refuses: 'number', starts: 'number', accepts: 'number' },
      differences: [{ seq: 'number', t: 'number', job: 'string', kind: 'string', answer: 'string' }],
    })
    expect(result.counts['same'] + result.counts['elsewhere']).toBe(300)
    expect(result.counts['starts']).toBeGreaterThan(0)
    expect(result.differences).toHaveLength(3)
    expect((await folder.cloister('rerun', 'run.ndjson', '--policy', 'ta')).stdout).toMatch(/^not started +[1-9]/m)
  })

  it('rerun --policy treats another version of the policy of the log as another policy', async () => {
    const folder = new Folder()
    folder.write('mine.mjs', policySource(0))
    await folder.log('run.ndjson', './mine.mjs')
    folder.write('newer.mjs', policySource(9).replace('0.1.0', '0.2.0'))
    const { code, stdout } = await folder.cloister('rerun', 'run.ndjson', '--policy', './newer.mjs')
    expect(stdout).toMatch(/^asked +mine@0\.2\.0 with \{\}, in each state of the log by mine@0\.1\.0 with \{\}$/m)
    expect(stdout).toMatch(/^other allocation +1$/m)
    expect(code).toBe(0)
    expect(complaint(await folder.cloister('rerun', 'run.ndjson'))).toContain('there is no built-in policy "mine"')
  })

  it('rerun prints a remark with both versions if the built-in policy is newer than the log', async () => {
    const folder = new Folder()
    const text = readFileSync(join(folder.path, await folder.log()), 'utf8')
    const [header] = text.split('\n')
    folder.write('older.ndjson', `${header.replace(/("name":"jigsaw","version":")[^"]*/, '$10.9.0')}\n`)
    const { stderr } = await folder.cloister('rerun', 'older.ndjson')
    expect(stderr).toMatch(/the log is by jigsaw@0\.9\.0; the rerun uses jigsaw@\d/)
  })

  it('rerun treats another configuration of the policy of the log as another policy', async () => {
    const folder = new Folder()
    await folder.log()
    const sparsest = ['--policy-config', '{"order":"sparsest-first"}']
    const { stdout } = await folder.cloister('rerun', 'run.ndjson', ...sparsest)
    expect(stdout).toMatch(
      /^asked +jigsaw@\S+ with \{.*"order":"sparsest-first".*\}, in each state of the log by jigsaw@\S+ with \{.*"order":"densest-first".*\}$/m,
    )
    expect(stdout).toMatch(/^other allocation +[1-9]\d*$/m)
    const named = await folder.cloister('rerun', 'run.ndjson', '--policy', 'jigsaw', ...sparsest)
    expect(named.stdout).toBe(stdout)
  })

  it('rerun treats the configuration of the log, with or without defaults, as the policy of the log', async () => {
    const folder = new Folder()
    await folder.log()
    for (const config of ['{}', '{"order":"densest-first"}'])
      expect((await folder.cloister('rerun', 'run.ndjson', '--policy-config', config)).stdout).toMatch(/^equal: /)
    const wrong = await folder.cloister('rerun', 'run.ndjson', '--policy-config', '{"order":1}')
    expect(complaint(wrong)).toContain('order: Invalid type: Expected')
  })

  it('rerun refuses a policy whose claim of links differs from the log', async () => {
    const folder = new Folder()
    await folder.log()
    const answer = await folder.cloister(
      'rerun',
      'run.ndjson',
      '--policy',
      'least-constrained',
      '--policy-config',
      '{"sharing":{"capacity":4000}}',
    )
    expect(complaint(answer)).toContain("the log's policy claims the links owned, but the asked policy capped")
  })
})
