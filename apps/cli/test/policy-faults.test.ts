import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { complaint, Folder, inTurn, small } from './cloister.ts'

/** A policy in a file that places anywhere; `answer` is what it does with a placement, as the body of a function. */
function policySource(answer: string, version = '0.1.0'): string {
  return `
const validate = (value) => ({ value })
export default {
  contract: 2, name: 'mine', version: '${version}', config: { '~standard': { version: 1, vendor: 'test', validate } },
  make: (topology) => ({
    claims: { links: 'shared', fullBandwidth: false, exactSize: true, monotone: true, complete: true, speedupScenarios: false },
    place: (state, request) => {
      const { nodes: size, job } = request
      if (size > topology.nodes) return { ok: false, code: 'never', constraint: 'machine size' }
      if (size > state.freeNodes) return { ok: false, code: 'too-few-nodes', free: state.freeNodes }
      const nodes = []
      for (let node = 0; nodes.length < size; node++) if (state.isNodeFree(node)) nodes.push(node)
      const answer = { ok: true, nodes, links: [] }
      ${answer}
      return answer
    },
  }),
}
`
}

/** Where the policy breaks: in the middle of the run, when it is asked again about a job that came at the start. */
const later = "job === '150' && request.now > 0"
const breaks = `if (${later}) return answer.none.such`

interface Broken {
  readonly folder: Folder
  readonly said: string
  /** Of the fault's record. */
  readonly seq: number
  readonly fault: Readonly<Record<string, unknown>> & { readonly t: number }
}

/** Simulates under a policy that breaks, with a log. */
async function simulate(answer: string, ...more: ReadonlyArray<string>): Promise<Broken> {
  const folder = new Folder()
  folder.write('mine.mjs', policySource(answer))
  const args = ['simulate', ...small, '--policy', './mine.mjs', '--out', 'run.ndjson', ...more]
  const said = complaint(await folder.cloister(...args))
  const lines = readFileSync(join(folder.path, 'run.ndjson'), 'utf8').trimEnd().split('\n')
  const fault = JSON.parse(lines.at(-2)!)
  return { folder, said, seq: lines.length - 2, fault }
}

describe('a policy that fails', () => {
  it('leaves a log up to its question, and a message that names it and the command that asks again', async () => {
    const { said, seq, fault } = await simulate(breaks)
    expect(fault).toMatchObject({ seq, type: 'fault', job: '150', code: 'throws', request: { job: '150' } })
    expect(seq).toBeGreaterThan(300)
    const reason = "place threw TypeError: Cannot read properties of undefined (reading 'such')"
    expect(said).toContain(`cloister: policy mine (./mine.mjs) failed at t = ${fault.t} s: ${reason}\n  at `)
    expect(said).toMatch(
      /\n {2}at .*mine\.mjs:14:\d+\)?\n {2}the question: \{"purpose":"[a-z]+","job":"150","nodes":\d+,/,
    )
    expect(said).toContain(
      `run.ndjson holds all that led to it, up to record ${seq}; cloister rerun run.ndjson --policy ./mine.mjs --until ${seq} asks again`,
    )
  })

  it.each([
    ['nothing', 'return', 'place returned undefined (nothing); it must return a placement'],
    ['a promise', 'return Promise.reject(new Error("late"))', 'place returned a promise'],
    ['garbage', 'return [1, 2]', 'place returned an array; it must return'],
    ['a getter', 'return { get ok() { throw new Error("hidden") } }', 'place threw Error: hidden'],
    ['a text', 'throw "no"', 'place threw "no"'],
    ['double booking', 'answer.nodes = Array.from(nodes, (_, at) => at)', 'a placement that is not free: node'],
    [
      'one array',
      'globalThis.only ??= []; globalThis.only.length = 0; answer.nodes = Object.assign(globalThis.only, nodes)',
      'changed its answer for job',
    ],
  ])('by answering with %s is told what it did', async (_, answer, says) => {
    const { said, fault } = await simulate(
      answer.startsWith('answer') || answer.includes('only') ? answer : `if (${later}) ${answer}`,
    )
    expect(said).toContain(says)
    expect(said).toContain(`failed at t = ${fault.t} s`)
  })

  it('leaves a log that every command reads, and says to have ended early', async () => {
    const { folder, seq } = await simulate(breaks, '--refusals')
    const policy = ['--policy', './mine.mjs']
    const commands = [
      ['metrics', 'run.ndjson'],
      ['audit', 'run.ndjson'],
      ['replay', 'run.ndjson'],
      ['explain', 'run.ndjson', '--job', '150'],
      ['export', 'run.ndjson', '--to', 'html', '--out', 'run.html'],
      ['export', 'run.ndjson', '--to', 'swf', '--out', 'run.swf'],
      ['rerun', 'run.ndjson', ...policy],
      ['diff', 'run.ndjson', 'run.ndjson'],
    ]
    await inTurn(commands, async (command) => {
      const { code, stderr, stdout } = await folder.cloister(...command)
      expect({ command, code, stderr: stderr + stdout }).toEqual({
        command,
        code: 3,
        stderr: expect.stringContaining(`the policy failed, record ${seq}: place threw TypeError`),
      })
      expect(stderr).not.toContain('torn')
    })
    expect(existsSync(join(folder.path, 'run.swf'))).toBe(true)
  })
})

describe('rerun of a log that ends so', () => {
  it('says that the same happens again', async () => {
    const { folder, seq } = await simulate(breaks)
    const { stdout, code } = await folder.cloister('rerun', 'run.ndjson', '--policy', './mine.mjs')
    expect(stdout).toMatch(/^equal: mine@0\.1\.0 decides all [\d,]+ records again as they are recorded/)
    expect(stdout).toContain(`and fails at the question of record ${seq} again: place threw TypeError`)
    expect(code).toBe(3)
    expect(
      JSON.parse((await folder.cloister('rerun', 'run.ndjson', '--policy', './mine.mjs', '--json')).stdout),
    ).toMatchObject({ equal: true, difference: null, fault: { seq, request: { job: '150' } } })
  })

  it('says that a mended policy answers now, whatever its version', async () => {
    const { folder, seq } = await simulate(breaks)
    folder.write('mended.mjs', policySource('', '0.1.1'))
    const { stdout, code } = await folder.cloister('rerun', 'run.ndjson', '--policy', './mended.mjs')
    expect(stdout).toContain(`mended            mine@0.1.1 answers the question of record ${seq} now`)
    expect(stdout).toMatch(/^here +\{"seq":\d+,"t":[\d.]+,"type":"(allocate|reserve)"/m)
    expect(code).toBe(1)
  })

  it('asks the question again, and that of any record', async () => {
    const { folder, seq, fault } = await simulate(breaks)
    const until = (policy: string, record: number, ...more: ReadonlyArray<string>) =>
      folder.cloister('rerun', 'run.ndjson', '--policy', policy, '--until', String(record), ...more)
    const again = await until('./mine.mjs', seq)
    expect(again.stdout).toMatch(new RegExp(`^record +${seq}, \\{"seq":${seq},"t":${fault.t},"type":"fault"`, 'm'))
    expect(again.stdout).toMatch(/^the question +\{"purpose":"[a-z]+","job":"150",/m)
    expect(again.stdout).toMatch(/^the answer +place threw TypeError: .*\nthrown +at .*mine\.mjs:14/m)
    expect(again.code).toBe(1)
    folder.write('mended.mjs', policySource(''))
    const mended = await until('./mended.mjs', seq)
    expect(mended.stdout).toMatch(/^the answer +nodes [\d,-]+/m)
    expect(mended.code).toBe(0)
    const lines = readFileSync(join(folder.path, 'run.ndjson'), 'utf8').trimEnd().split('\n')
    const start = lines.map((line) => JSON.parse(line)).findLast(({ type }) => type === 'allocate')
    const json = JSON.parse((await until('./mine.mjs', start.seq, '--json')).stdout)
    expect(json).toMatchObject({
      record: start,
      request: { job: start.job },
      fault: null,
      answer: `nodes ${start.nodes}`,
    })
    expect(complaint(await until('./mine.mjs', 99_999))).toContain(
      'there is no record 99999 (--until); the last one is ',
    )
  })
})
