import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Folder, complaint } from './cloister.ts'

const root = resolve(import.meta.dirname, '../../..')

interface Line {
  readonly seq: number
  readonly type: string
  readonly backfill?: number
  readonly constraint?: string
}

async function logged(...more: ReadonlyArray<string>): Promise<{ folder: Folder; lines: ReadonlyArray<Line> }> {
  const folder = new Folder()
  const words = ['--trace', 'synth:4:120', '--topology', 'radix:6', '--refusals', '--out', 'run.ndjson', ...more]
  const { code, stderr } = await folder.cloister('simulate', ...words)
  if (code !== 0) throw new Error(stderr)
  const lines = readFileSync(join(folder.path, 'run.ndjson'), 'utf8').trimEnd().split('\n')
  return { folder, lines: lines.map((line) => JSON.parse(line) as Line) }
}

const decisions = ['allocate', 'reserve', 'refuse', 'reject']

/** Returns the module of a policy. @param place source text of the function `place` */
function policyOf(name: string, place: string): string {
  return `export default { contract: 1, name: '${name}', version: '1.0.0', config: { '~standard': { version: 1, vendor: 'none', validate: (value) => ({ value }) } },
      make: () => ({ claims: { links: 'shared', fullBandwidth: false, exactSize: true, monotone: true, complete: true, speedupScenarios: false }, place: ${place} }) }`
}

const mended = `(state, { nodes }) => state.freeNodes < nodes ? { ok: false, code: 'too-few-nodes', free: state.freeNodes } : { ok: true, nodes: Array.from({ length: 54 }, (_, node) => node).filter((node) => state.isNodeFree(node)).slice(0, nodes), links: [] }`

/** Writes a log that ends with a fault (the policy places each job on the first nodes), and extracts the fault. */
async function faultyLog(folder: Folder): Promise<{ words: ReadonlyArray<string>; stdout: string }> {
  folder.write('faulty.mjs', policyOf('mine', '(state, { nodes }) => ({ ok: true, nodes: [...Array(nodes).keys()], links: [] })')) // oxfmt-ignore
  const run = ['--trace', 'synth:4:20', '--topology', 'radix:6', '--policy', './faulty.mjs', '--out', 'failed.ndjson']
  complaint(await folder.cloister('simulate', ...run))
  const lines = readFileSync(join(folder.path, 'failed.ndjson'), 'utf8').trimEnd().split('\n')
  const { seq } = lines.map((line) => JSON.parse(line) as Line).find(({ type }) => type === 'fault')!
  const words = ['extract', 'failed.ndjson', '--record', String(seq)]
  const { stdout } = await folder.cloister(...words, '--policy', './faulty.mjs', '--out', 'test/fault.test.ts')
  return { words, stdout }
}

describe('extract', () => {
  it.each([
    ['jigsaw', 'movable'],
    ['ta', 'fixed'],
  ])(
    'extract finds the request for each decision of the policy %s with %s reservations',
    async (policy, reservation) => {
      const { folder, lines } = await logged('--policy', policy, '--reservation', reservation)
      const few = ['allocate', 'reserve', 'refuse'].flatMap((type) => {
        const made = lines.filter((line) => line.type === type && line.constraint?.startsWith('reservation') !== true)
        expect(made.length).toBeGreaterThan(5)
        return made.filter((_, at) => at % Math.ceil(made.length / 5) === 0)
      })
      const found: Array<unknown> = []
      for (const { seq, type } of few) {
        const words = ['extract', 'run.ndjson', '--record', String(seq), '--out', 'test.ts', '--force'] as const
        const { passes } = (await folder.json(...words)) as { readonly passes: boolean }
        if (!passes) found.push([seq, type])
      }
      expect(found).toEqual([])
    },
  )

  it('tests by extract pass under the policy of the log or a mended policy, and fail under other and faulty policies', async () => {
    const { folder, lines } = await logged('--policy', 'jigsaw')
    folder.write('mine.ts', `export { default } from '@cloister/policy-baseline'\n`)
    const scope = join(folder.path, 'node_modules/@cloister')
    mkdirSync(scope, { recursive: true })
    for (const name of ['placement', 'topology']) symlinkSync(join(root, 'packages', name), join(scope, name))
    for (const name of ['jigsaw', 'baseline'])
      symlinkSync(join(root, 'packages/policies', name), join(scope, `policy-${name}`))
    symlinkSync(join(root, 'node_modules/vitest'), join(folder.path, 'node_modules/vitest'))
    mkdirSync(join(folder.path, 'test'))
    const backfilled = lines.find(({ backfill }) => backfill !== undefined)!
    const wanted = [
      lines.find(({ type, seq }) => type === 'allocate' && seq > 400)!,
      backfilled,
      ...['reserve', 'refuse'].map((name) => lines.find(({ type }) => type === name)!),
    ]
    for (const { seq } of wanted) {
      const words = ['extract', 'run.ndjson', '--record', String(seq), '--out', `test/own-${seq}.test.ts`]
      expect((await folder.cloister(...words)).stdout).toMatch(/: jigsaw@[\d.]+ passes\n$/)
    }
    const asBaseline = ['--record', String(wanted[0].seq), '--policy', 'baseline', '--out', 'other.ts']
    const other = await folder.cloister('extract', 'run.ndjson', ...asBaseline)
    expect(other.stdout).toMatch(/^other\.ts: baseline@[\d.]+ fails: (nodes|refused)/)
    const failed = await faultyLog(folder)
    expect(failed.stdout).toBe('test/fault.test.ts: mine@1.0.0 fails: node 0 of the placement is not free\n')
    folder.write('mended.mjs', policyOf('mine', mended))
    const again = [...failed.words, '--policy', './mended.mjs', '--out', 'test/mended.test.ts'] as const
    expect((await folder.cloister(...again)).stdout).toBe('test/mended.test.ts: mine@1.0.0 passes\n')
    expect(readFileSync(join(folder.path, 'test/mended.test.ts'), 'utf8')).toMatch(
      /^\/\/ The request of record \d+ of failed.ndjson, by mine@1\.0\.0, which failed: gave job 2 .*\n.* gets a valid answer"/m,
    )
    folder.write(
      'test/mine.test.ts',
      readFileSync(join(folder.path, 'other.ts'), 'utf8').replace('@cloister/policy-baseline', '../mine.ts'),
    )

    const ran = spawnSync(
      process.execPath,
      [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', join(root, 'vitest.config.ts')],
      { cwd: folder.path, encoding: 'utf8' },
    )
    const report = JSON.parse(readFileSync(join(folder.path, 'test-results.json'), 'utf8')) as {
      numPassedTests: number
      numFailedTests: number
    }
    expect(report, ran.stderr).toMatchObject({ numPassedTests: 5, numFailedTests: 2 })
    const text = readFileSync(join(folder.path, `test/own-${backfilled.seq}.test.ts`), 'utf8')
    expect(text.split('\n').length).toBeLessThan(30)
    expect(text).toContain(`import policy from "@cloister/policy-jigsaw"`)
  })

  it('a test by extract imports the policy of a user by a path relative to the test', async () => {
    const { folder, lines } = await logged('--policy', 'baseline')
    folder.write('mine.mjs', policyOf('mine', `() => { throw new Error('too early') }`))
    const { seq } = lines.find(({ type }) => type === 'allocate')!
    const words = ['extract', 'run.ndjson', '--record', String(seq), '--policy', './mine.mjs'] as const
    mkdirSync(join(folder.path, 'test'))
    expect(complaint(await folder.cloister(...words, '--out', 'test/a.test.ts'))).toContain('too early')
    folder.write(
      'mine.mjs.ok.mjs',
      readFileSync(join(folder.path, 'mine.mjs'), 'utf8').replace(
        `throw new Error('too early')`,
        `return { ok: false, code: 'never', constraint: 'all' }`,
      ),
    )
    const ok = ['extract', 'run.ndjson', '--record', String(seq), '--policy', './mine.mjs.ok.mjs'] as const
    expect((await folder.cloister(...ok, '--out', 'test/a.test.ts')).stdout).toContain(
      'test/a.test.ts: mine@1.0.0 fails: never on this machine: all',
    )
    expect(readFileSync(join(folder.path, 'test/a.test.ts'), 'utf8')).toContain(
      'import policy from "../mine.mjs.ok.mjs"',
    )
  })

  it('extract refuses a record that is no decision of the policy, and names the allowed types of records', async () => {
    const { folder, lines } = await logged('--policy', 'baseline')
    const said = async (seq: number) =>
      complaint(await folder.cloister('extract', 'run.ndjson', '--record', String(seq)))
    const next = lines.find(({ type }) => decisions.includes(type))!
    expect(await said(1)).toContain(
      `--record: record 1 is a submit, expected a decision or a failure of the policy (allocate, reserve, refuse, reject, fault); the next decision is record ${next.seq}, an allocate`,
    )
    const { seq } = lines.find(({ constraint }) => constraint?.startsWith('reservation'))!
    expect(await said(seq)).toMatch(
      /--record: record \d+ is a refuse for the reservation of job \d+, a decision of the queue discipline/,
    )
    expect(await said(1e6)).toContain(
      `run.ndjson: the log has no record 1000000 (--record); the last record is ${lines.at(-1)!.seq}`,
    )
  })
})
