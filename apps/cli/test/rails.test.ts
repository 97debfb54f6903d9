import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatIbnetdiscover, parseTopology } from '@cloister/topology'
import { describe, expect, it } from 'vitest'
import { allPolicies, isolating } from './all-policies.ts'
import { Folder } from './cloister.ts'

const RAILS = '3 rails with common spines of pgft:3;4,3,3;1,4,3;1,1,1'

/** Failures of a link in two rails, one after the other, and of all cables of a link. */
const outages = [
  { t: 20, type: 'down', links: ['5', '2'], rails: '1' },
  { t: 60, type: 'down', links: ['5'], rails: '0,2' },
  { t: 90, type: 'down', links: ['9'] },
  { t: 200, type: 'up', links: ['5'], rails: '1-2' },
  { t: 300, type: 'up', links: ['5'], rails: '0' },
]
  .map((each) => `${JSON.stringify(each)}\n`)
  .join('')

describe('a machine with rails', () => {
  it.each(allPolicies)('jobs of %s pass the audit while cables of single rails are down', async (policy) => {
    const folder = new Folder()
    folder.write('outages.ndjson', outages)
    const run = ['--trace', 'synth:6:150', '--queue', 'easy:10', '--policy', policy, '--topology', RAILS]
    const simulated = await folder.cloister('simulate', ...run, '--outages', 'outages.ndjson', '--out', 'run.ndjson')
    expect(simulated).toMatchObject({ code: 0 })
    const permutations = isolating.includes(policy) ? ['--permutations', '3'] : []
    const report = await folder.json('audit', 'run.ndjson', '--rerun', ...permutations)
    expect(report).toMatchObject({ ok: true, violations: [] })
  })

  it('regression: state did not name the rails of links that are down', async () => {
    const folder = new Folder()
    folder.write('outages.ndjson', outages)
    const run = ['--trace', 'synth:6:150', '--policy', 'baseline', '--topology', RAILS, '--outages', 'outages.ndjson']
    await folder.cloister('simulate', ...run, '--out', 'run.ndjson')
    const downAt = async (t: string): Promise<string | undefined> =>
      /^down links +(.*)$/m.exec((await folder.cloister('state', 'run.ndjson', '--at', t)).stdout)?.[1]
    expect(await downAt('20')).toBe('leaf1 -> l2-1 in rail 1, l2-0 -> spine2 in rail 1')
    expect(await downAt('90')).toBe('leaf1 -> l2-1 in rails 0-2, leaf2 -> l2-1 in rails 0-2, l2-0 -> spine2 in rail 1')
    expect(await downAt('200')).toBe('leaf1 -> l2-1 in rail 0, leaf2 -> l2-1 in rails 0-2, l2-0 -> spine2 in rail 1')
    expect(await folder.json('state', 'run.ndjson', '--at', '300')).toMatchObject({
      downLinks: [
        { level: 0, link: 9, rails: '0-2' },
        { level: 1, link: 2, rails: '1' },
      ],
    })
  })

  it('a log of a machine with rails equals the log of one rail, except for the machine', async () => {
    const folder = new Folder()
    const logOf = async (topology: string): Promise<string> => {
      const run = ['--trace', 'synth:6:150', '--queue', 'easy:10', '--policy', 'jigsaw', '--topology', topology]
      expect(
        await folder.cloister('simulate', ...run, '--router', 'partition', '--out', 'run.ndjson', '--force'),
      ).toMatchObject({ code: 0 })
      const [, ...records] = readFileSync(join(folder.path, 'run.ndjson'), 'utf8').split('\n')
      return records.filter((line) => !line.includes('"type":"seal"')).join('\n')
    }
    expect(await logOf(RAILS)).toBe(await logOf('pgft:3;4,3,3;1,4,3;1,1,1'))
  })

  it('regression: topology export dropped the other rails and the blocks without a word', async () => {
    const folder = new Folder()
    folder.write('hosts.csv', 'host,rack,nvlink\na,r1,d1\nb,r2,d2\n')
    const spec = '2 rails of table:hosts.csv,levels=rack,block=nvlink'
    const conf = await folder.cloister('topology', 'export', spec, '--to', 'slurm-conf')
    const fabric = await folder.cloister('topology', 'export', spec, '--to', 'ibnetdiscover')
    expect(conf.stderr).toContain('the file has the switches of one of the 2 equal rails')
    expect(conf.stderr).toContain('the file has no blocks of nodes')
    expect(fabric.stderr).not.toContain('rails')
    expect(fabric.stdout).toContain('"a mlx5_1"')
  })

  it('topology show reads the rails of a fabric, and counts the switches and cables of all rails', async () => {
    const folder = new Folder()
    folder.write('fabric.txt', formatIbnetdiscover(parseTopology(RAILS)))
    expect(await folder.json('topology', 'show', 'ib:fabric.txt')).toMatchObject({
      nodes: 36,
      rails: { count: 3, commonFrom: 2, switches: [27, 36, 12] },
    })
    const { stdout } = await folder.cloister('topology', 'show', 'ib:fabric.txt')
    expect(stdout).toContain('3 rails with common spine switches: 27 leaf, 36 L2, 12 spine switches and 216 cables')
  })
})
