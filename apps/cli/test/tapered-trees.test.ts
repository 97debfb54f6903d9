import { describe, expect, it } from 'vitest'
import { Folder } from './cloister.ts'

/** Specification of a tree with 4 nodes over 2 uplinks of a leaf, and 4 links over 2 uplinks of an L2 switch. */
const tapered = 'pgft:3;4,4,4;1,2,2;1,1,1'
const said =
  'claims full bandwidth and needs the links of a full tree for each job, but pgft:3;4,4,4;1,2,2;1,1,1 is tapered (4 nodes over 2 uplinks of a leaf, 4 links over 2 uplinks of an L2 switch)'
const jobs = ['--trace', 'synth:4:20'] as const

describe('a policy that claims full bandwidth', () => {
  it.each(['jigsaw', 'laas', 'least-constrained'])(
    'the policy %s, which claims full bandwidth, gets a remark on a tapered tree',
    async (policy) => {
      const run = [...jobs, '--policy', policy] as const
      const { stderr } = await new Folder().cloister('simulate', ...run, '--topology', tapered)
      expect(stderr).toContain(`${policy} ${said}`)
      expect((await new Folder().cloister('simulate', ...run, '--topology', 'radix:6')).stderr).not.toContain('tapered')
      expect((await new Folder().cloister('policy', 'show', policy, '--topology', tapered)).stdout).toContain(said)
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
      policy: ['baseline', 'jigsaw'],
      queue: ['fcfs', 'easy:5'],
    }
    folder.write('e.json', JSON.stringify({ cells: [cell] }))
    const { stderr } = await folder.cloister('sweep', 'e.json', '--workers', '1')
    expect(stderr.split(said)).toHaveLength(2)
  })
})

it.each(['baseline', 'ta'])(
  'the policy %s, without a claim of full bandwidth, gets no remark on a tapered tree',
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
