import { describe, expect, it } from 'vitest'
import { Folder } from './cloister.ts'

/** Specification of a tree with 4 nodes over 2 uplinks of a leaf, and 4 links over 2 uplinks of an L2 switch. */
const tapered = 'pgft:3;4,4,4;1,2,2;1,1,1'
const said =
  'claims full bandwidth and needs the links of a full tree for each job, but pgft:3;4,4,4;1,2,2;1,1,1 is tapered (4 nodes over 2 uplinks of a leaf, 4 links over 2 uplinks of an L2 switch)'
const jobs = ['--trace', 'synth:4:20'] as const

describe('a policy that claims full bandwidth', () => {
  it.each([
    ['jigsaw', '{"bandwidth":"full"}'],
    ['laas', '{"bandwidth":"full"}'],
    ['least-constrained', '{}'],
  ])(
    'the policy %s with the config %s, which claims full bandwidth, gets a remark on a tapered tree',
    async (policy, config) => {
      const options = ['--policy-config', config] as const
      const run = [...jobs, '--policy', policy, ...options] as const
      const { stderr } = await new Folder().cloister('simulate', ...run, '--topology', tapered)
      expect(stderr).toContain(`${policy} ${said}`)
      expect((await new Folder().cloister('simulate', ...run, '--topology', 'radix:6')).stderr).not.toContain('tapered')
      expect(
        (await new Folder().cloister('policy', 'show', policy, '--topology', tapered, ...options)).stdout,
      ).toContain(said)
    },
  )

  it('a foreign policy gets the remark on a tapered tree because of its claim, whatever its name is', async () => {
    const folder = new Folder()
    folder.write('mine.mjs', claimsFullBandwidth)
    const { stderr } = await folder.cloister('simulate', ...jobs, '--policy', './mine.mjs', '--topology', tapered)
    expect(stderr).toContain(`mine ${said}`)
  })

  it('a policy that claims full bandwidth gets one remark in a sweep for each tapered machine', async () => {
    const folder = new Folder()
    const cell = {
      trace: 'synth:4:20',
      topology: [tapered, 'radix:6'],
      policy: ['baseline', 'least-constrained'],
      queue: ['fcfs', 'easy:5'],
    }
    folder.write('e.json', JSON.stringify({ cells: [cell] }))
    const { stderr } = await folder.cloister('sweep', 'e.json', '--workers', '1')
    expect(stderr.split(said)).toHaveLength(2)
  })
})

describe('a policy that claims share bandwidth', () => {
  it.each(['jigsaw', 'laas', 'ta'])('policy show names the claim of the policy %s with its loads', async (policy) => {
    const { stdout } = await new Folder().cloister('policy', 'show', policy, '--topology', tapered)
    expect(stdout).toMatch(/^full bandwidth +no$/m)
    expect(stdout).toMatch(/^share bandwidth +2 flows an uplink, 4 flows a spine link$/m)
    expect(stdout).toContain(`${policy} claims share bandwidth: 2 flows an uplink, 4 flows a spine link`)
    const full = await new Folder().cloister('policy', 'show', policy, '--topology', 'radix:6')
    expect(full.stdout).not.toContain('share bandwidth')
  })

  it('metrics names the claim, and a run with a scenario names what the speed-ups assume', async () => {
    const folder = new Folder()
    const run = [...jobs, '--policy', 'jigsaw', '--topology', tapered, '--scenario', '10%'] as const
    const { stderr } = await folder.cloister('simulate', ...run, '--out', 'run.ndjson')
    expect(stderr).toContain('The speed-ups of the scenario 10% assume only that no other job uses the links of a job')
    expect((await folder.cloister('metrics', 'run.ndjson')).stderr).toContain(
      'run.ndjson: jigsaw claims share bandwidth: 2 flows an uplink, 4 flows a spine link',
    )
    const audit = await folder.cloister('audit', 'run.ndjson', '--permutations', '2')
    expect(audit).toMatchObject({ code: 0 })
  })
})

it.each(['baseline', 'ta', 'jigsaw', 'laas'])(
  'the policy %s, without a claim of full bandwidth, gets no remark in a run without a scenario on a tapered tree',
  async (policy) => {
    const { stderr } = await new Folder().cloister('simulate', ...jobs, '--policy', policy, '--topology', tapered)
    expect(stderr).toBe('')
  },
)

it('topology show prints the taper of a tree', async () => {
  const folder = new Folder()
  const { stdout } = await folder.cloister('topology', 'show', tapered)
  expect(stdout).toContain(
    'The tree is tapered (4 nodes over 2 uplinks of a leaf, 4 links over 2 uplinks of an L2 switch).',
  )
  expect(stdout).toMatch(/^leaf +16 +leaf0 … leaf15 +2 +32 +2:1$/m)
  expect(await folder.json('topology', 'show', tapered)).toMatchObject({
    isFullBisection: false,
    levels: [{ taper: { down: 4, up: 2 } }, { taper: { down: 4, up: 2 } }, { taper: null }],
  })
  expect((await folder.cloister('topology', 'show', 'radix:6')).stdout).not.toContain('tapered')
})

/** Code of a policy that rejects every job, because the test needs only the claims. */
const claimsFullBandwidth = `
const validate = (value) => ({ value })
const claims = { links: 'owned', rule: undefined, fullBandwidth: true, exactSize: true, monotone: true, complete: false, speedupScenarios: false }
const make = () => ({ claims, place: () => ({ ok: false, code: 'never', constraint: 'nothing' }) })
export default { contract: 1, name: 'mine', version: '0.1.0', config: { '~standard': { version: 1, vendor: 'test', validate } }, make }
`
