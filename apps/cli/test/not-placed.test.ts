import { describe, expect, it } from 'vitest'
import { Folder, small } from './cloister.ts'

/** Returns the code of a policy that runs a given statement, and then takes the first free nodes. */
function firstFree(name: string, sentence: string): string {
  return `
const validate = (value) => ({ value })
const claims = { links: 'shared', rule: undefined, fullBandwidth: false, exactSize: true, monotone: true, complete: false, speedupScenarios: false }
const make = (topology) => ({
  claims,
  place: (state, { nodes }) => {
    const free = state.freeNodes
    ${sentence}
    if (nodes > topology.nodes) return { ok: false, code: 'never', constraint: 'machine size' }
    if (nodes > free) return { ok: false, code: 'too-few-nodes', free }
    const ids = Array.from({ length: topology.nodes }, (_, node) => node).filter((node) => state.isNodeFree(node))
    return { ok: true, nodes: ids.slice(0, nodes), links: [] }
  },
})
export default { contract: 1, name: '${name}', version: '0.1.0', config: { '~standard': { version: 1, vendor: 'test', validate } }, make }
`
}

const tooFewOnEmpty = firstFree('liar', "if (nodes > 3) return { ok: false, code: 'too-few-nodes', free }")
const neverLarge = firstFree('picky', "if (nodes > 3) return { ok: false, code: 'never', constraint: 'three nodes' }")
const neverAny = firstFree('idle', "return { ok: false, code: 'never', constraint: 'nothing' }")
/** Code of a policy that places a job only at the first request on the empty machine, and refuses later requests. */
const onlyOnce = firstFree(
  'forgetful',
  `const seen = globalThis.seenByForgetful ??= new Set()
    if (seen.has(topology)) return { ok: false, code: 'no-placement', constraint: 'mood' }
    seen.add(topology)`,
)

function folderWith(policy: string): Folder {
  const folder = new Folder()
  folder.write('policy.mjs', policy)
  return folder
}

const run = [...small, '--policy', './policy.mjs'] as const

describe('jobs that never start', () => {
  it('jobs that never start come first in the output of simulate and metrics, with shares of jobs and of node-time', async () => {
    const folder = folderWith(neverLarge)
    const { code, stdout, stderr } = await folder.cloister('simulate', ...run, '--out', 'run.ndjson')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^REJECTED +\d+ of 300 jobs \(\d+\.\d %, \d+\.\d % of node-time\)\n/)
    const table = (await folder.cloister('metrics', 'run.ndjson')).stdout.split('\n')
    expect(table[2]).toMatch(/^REJECTED +\d+ of 300 jobs \(\d+\.\d %, \d+\.\d % of node-time\)$/)
    expect((await folder.cloister('audit', 'run.ndjson')).code).toBe(0)
  })

  it('jobs that never start come first in JSON, with equal figures from simulate and metrics', async () => {
    const folder = folderWith(neverLarge)
    const ofRun = (await folder.json('simulate', ...run, '--out', 'run.ndjson')) as object
    const ofLog = (await folder.json('metrics', 'run.ndjson')) as { readonly notPlaced: object }
    expect([Object.keys(ofRun)[0], Object.keys(ofLog)[0]]).toEqual(['notPlaced', 'notPlaced'])
    expect(ofRun).toMatchObject({ notPlaced: ofLog.notPlaced })
    expect(ofRun).toMatchObject({ notPlaced: { rejected: { jobs: expect.any(Number) }, waiting: { jobs: 0 } } })
  })

  it('jobs that never start have columns before the metrics in the table of a sweep', async () => {
    const folder = folderWith(neverLarge)
    const cell = { trace: 'synth:4:300', topology: 'radix:6', policy: ['baseline', './policy.mjs'] }
    folder.write('e.json', JSON.stringify({ cells: [cell] }))
    const { code, stdout } = await folder.cloister('sweep', 'e.json', '--workers', '1')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^trace +topology +policy +REJECTED +jobs/)
    expect(stdout).toMatch(/^synth:4:300 .* baseline .* 0 of 300 jobs \(0\.0 %, 0\.0 % of node-time\)/m)
    const json = (await folder.json('sweep', 'e.json', '--resume')) as object
    expect(Object.keys(json)[0]).toBe('notPlaced')
    expect(json).toMatchObject({ notPlaced: [{ cell: { policy: './policy.mjs' }, waiting: { jobs: 0 } }] })
  })
})

describe('simulate exits with 1 if the figures are meaningless', () => {
  it('simulate exits with 1 if jobs are rejected as too-few-nodes on the empty machine; audit exits with 1, too', async () => {
    const folder = folderWith(tooFewOnEmpty)
    const { code, stderr } = await folder.cloister('simulate', ...run, '--out', 'run.ndjson')
    expect(code).toBe(1)
    expect(stderr).toMatch(/^liar rejected \d+ jobs as too-few-nodes, although the empty machine has enough nodes/)
    const audit = await folder.cloister('audit', 'run.ndjson')
    expect(audit.code).toBe(1)
    expect(audit.stdout).toContain('is rejected as too-few-nodes, but the machine has 54')
  })

  it('simulate exits with 1 if no job started', async () => {
    const folder = folderWith(neverAny)
    const { code, stdout, stderr } = await folder.cloister('simulate', ...run)
    expect(code).toBe(1)
    expect(stdout).toMatch(/^REJECTED +300 of 300 jobs \(100\.0 %/)
    expect(stderr).toContain('no job started under idle')
    const cell = { trace: 'synth:4:20', topology: 'radix:6', policy: './policy.mjs' }
    folder.write('e.json', JSON.stringify({ cells: [cell] }))
    const sweep = await folder.cloister('sweep', 'e.json', '--workers', '1')
    expect(sweep.code).toBe(1)
    expect(sweep.stderr).toContain('no job started under ./policy.mjs')
  })

  it('simulate exits with 1 if jobs wait for ever although no node is down', async () => {
    const folder = folderWith(onlyOnce)
    const { code, stdout, stderr } = await folder.cloister('simulate', '--trace', 'synth:4:1', ...run.slice(2))
    expect(stdout).toMatch(/^STILL WAITING +1 of 1 jobs \(100\.0 %/)
    expect(stderr).toContain('1 job waits for ever, although no node or link is down')
    expect(code).toBe(1)
  })

  it('simulate exits with 0 if jobs wait for nodes that stay down', async () => {
    const folder = new Folder()
    folder.write('outages.ndjson', '{"t":0,"type":"down","nodes":"0"}\n')
    folder.write(
      'jobs.swf',
      '1 0 -1 100 -1 -1 -1 4 50 -1 1 -1 -1 -1 -1 -1 -1 -1\n2 10 -1 100 -1 -1 -1 54 200 -1 1 -1 -1 -1 -1 -1 -1 -1\n',
    )
    const jobs = ['--trace', 'jobs.swf', '--topology', 'radix:6', '--policy', 'baseline'] as const
    const { code, stdout } = await folder.cloister('simulate', ...jobs, '--outages', 'outages.ndjson')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^STILL WAITING +1 of 2 jobs/)
  })
})
