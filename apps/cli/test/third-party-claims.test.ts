import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { complaint, Folder } from './cloister.ts'

/** Returns the code of a foreign policy that gives a job a leaf or a pod, with owned links, and claims no rule. */
const podPolicy = (linksOfLeaf: string): string => `
const range = (from, end) => Array.from({ length: end - from }, (_, at) => from + at)
export default {
  contract: 1, name: 'pods', version: '1.0.0',
  config: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } },
  make: ({ leaves, pods, firstNodeOfLeaf, firstLeafOfPod, levels: [{ firstPort }] }) => firstPort[1] < firstNodeOfLeaf[1] ? { unsupported: 'fewer uplinks than nodes' } : ({
    claims: { links: 'owned', fullBandwidth: true, exactSize: true, monotone: false, complete: false, speedupScenarios: false },
    place: (state, { nodes: size }) => {
      const free = (leaf) => range(firstNodeOfLeaf[leaf], firstNodeOfLeaf[leaf + 1]).filter((node) => state.isNodeFree(node))
      const perLeaf = firstNodeOfLeaf[1]
      if (size <= perLeaf) {
        for (let leaf = 0; leaf < leaves; leaf++) if (free(leaf).length >= size) return { ok: true, nodes: free(leaf).slice(0, size), links: [] }
        return { ok: false, code: 'no-placement', constraint: 'free nodes on one leaf' }
      }
      if (size > firstNodeOfLeaf[firstLeafOfPod[1]]) return { ok: false, code: 'never', constraint: 'one pod' }
      for (let pod = 0; pod < pods; pod++) {
        const all = range(firstLeafOfPod[pod], firstLeafOfPod[pod + 1])
        if (all.some((leaf) => free(leaf).length < perLeaf)) continue
        const used = all.slice(0, Math.ceil(size / perLeaf))
        const links = used.flatMap((leaf) => ${linksOfLeaf})
        if (used.some((leaf) => range(0, firstPort[leaf + 1] - firstPort[leaf]).some((port) => ((state.portMask(0, leaf, port >> 5) >>> (port & 31)) & 1) === 0))) continue
        return { ok: true, nodes: used.flatMap(free).slice(0, size), links: [links] }
      }
      return { ok: false, code: 'no-placement', constraint: 'an empty pod' }
    },
  }),
}
`
const all = 'range(firstPort[leaf], firstPort[leaf + 1])'
const first = 'range(firstPort[leaf], firstPort[leaf] + 1)'
const none = '[]'

const run = ['--trace', 'synth:4:60', '--topology', 'radix:6', '--policy', './pods.mjs'] as const

async function logOf(folder: Folder, linksOfLeaf: string): Promise<string> {
  folder.write('pods.mjs', podPolicy(linksOfLeaf))
  const { code, stderr } = await folder.cloister('simulate', ...run, '--out', 'run.ndjson')
  if (code !== 0) throw new Error(stderr)
  return 'run.ndjson'
}

describe('a foreign policy that claims owned links and full bandwidth without a rule', () => {
  it('audit without an option certifies full bandwidth of a policy without a rule, by routing permutations', async () => {
    const folder = new Folder()
    const { code, stdout } = await folder.cloister('audit', await logOf(folder, all))
    expect(stdout).toMatch(/^permutations +\d+$/m)
    expect(stdout).toMatch(/^links-connect +\d+$/m)
    expect(code, stdout).toBe(0)
    expect((await folder.cloister('audit', 'run.ndjson', '--rerun', '--policy', './pods.mjs')).code).toBe(0)
    expect(complaint(await folder.cloister('audit', 'run.ndjson', '--rerun', '--policy', 'jigsaw'))).toContain(
      'found jigsaw, expected pods',
    )
    expect(complaint(await folder.cloister('audit', 'run.ndjson', '--policy', './pods.mjs'))).toContain('--rerun')
  })

  it('regression: audit --rerun with --policy FILE refused a log whose run times depend on earlier runs', async () => {
    const folder = new Folder()
    folder.write('pods.mjs', podPolicy(all))
    const costs = ['--communication', '90%:ring:50%', '--costs-from', 'two-runs'] as const
    await folder.cloister('simulate', ...run, ...costs, '--out', 'run.ndjson')
    const audited = await folder.cloister('audit', 'run.ndjson', '--rerun', '--policy', './pods.mjs')
    expect(audited).toMatchObject({ code: 0, stderr: '' })
    expect(complaint(await folder.cloister('audit', 'run.ndjson', '--rerun'))).toContain('--policy names the policy')
  })

  it('sweep certifies full bandwidth of a policy without a rule, too', async () => {
    const folder = new Folder()
    folder.write('pods.mjs', podPolicy(all))
    folder.write('experiment.json', JSON.stringify({ cells: [{ trace: run[1], topology: run[3], policy: run[5] }] }))
    const { code, stdout, stderr } = await folder.cloister('sweep', 'experiment.json', '--out', 'results.ndjson')
    expect(code, stdout + stderr).toBe(0)
    expect(JSON.parse(readFileSync(join(folder.path, 'results.ndjson'), 'utf8').trim()).audit).toMatchObject({
      ok: true,
      untestedClaims: [],
    })
  })

  it('audit fails a policy without a rule if the allocated links do not connect the nodes', async () => {
    const folder = new Folder()
    const { code, stdout } = await folder.cloister('audit', await logOf(folder, none))
    expect(stdout).toMatch(/links-connect at record \d+.*no minimal route/)
    expect(code).toBe(1)
  })

  it('audit does not certify a policy with too few links, and names the record of an allocation without routes', async () => {
    const folder = new Folder()
    const { code, stdout } = await folder.cloister('audit', await logOf(folder, first))
    expect(stdout).toMatch(/full_bandwidth: permutations of the allocation of record \d+ cannot be routed: /)
    expect(code).toBe(1)
  })

  it('fuzz finds no fault in a policy without a rule, and a fault if the policy allocates too few links', async () => {
    const folder = new Folder()
    const fuzz = ['fuzz', '--policy', './pods.mjs', '--runs', '40', '--seed', '1', '--json']
    folder.write('pods.mjs', podPolicy(all))
    const sound = await folder.cloister(...fuzz)
    expect(JSON.parse(sound.stdout)).toMatchObject({ fault: null })
    folder.write('few.mjs', podPolicy(first))
    const few = await folder.cloister(...fuzz.with(2, './few.mjs'))
    expect(JSON.parse(few.stdout).fault).toMatchObject({
      command: 'audit',
      problem: expect.stringMatching(
        /^the policy claims full_bandwidth, but permutations of the allocation of record \d+ cannot be routed/,
      ),
    })
    expect(few.code).toBe(1)
    expect(JSON.parse(few.stdout).fault.reproduce).toMatch(/; cloister audit fuzz-fault\/run\.ndjson$/)
  })
})
