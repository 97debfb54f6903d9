import { existsSync, linkSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lockForWriting } from '@cloister/eventlog/node'
import { describe, expect, it } from 'vitest'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { bundle, complaint, Folder, inTurn, small } from './cloister.ts'

/** Returns a policy's code that takes the first free nodes; `answer` is code that returns or changes the placement. */
function policySource(answer: string, version = '0.1.0'): string {
  return `
const validate = (value) => ({ value })
export default {
  contract: 1, name: 'mine', version: '${version}', config: { '~standard': { version: 1, vendor: 'test', validate } },
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

/** Condition in code under which the policy fails: a later request about job 150, in the middle of the run. */
const later = "job === '150' && request.now > 0"
const breaks = `if (${later}) return answer.none.such`

interface Broken {
  readonly folder: Folder
  readonly said: string
  /** Number of the fault record in the log. */
  readonly seq: number
  readonly fault: Readonly<Record<string, unknown>> & { readonly t: number }
}

/** Simulates under a policy that fails, and returns the folder with the log. */
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
  it('a policy that fails leaves a log up to the request, and a message with the command that repeats the request', async () => {
    const { said, seq, fault } = await simulate(breaks)
    expect(fault).toMatchObject({ seq, type: 'fault', job: '150', code: 'throws', request: { job: '150' } })
    expect(seq).toBeGreaterThan(300)
    const reason = "place threw TypeError: Cannot read properties of undefined (reading 'such')"
    expect(said).toContain(`cloister: policy mine (./mine.mjs) failed at t = ${fault.t} s: ${reason}\n  at `)
    expect(said).toMatch(/\n {2}at .*mine\.mjs:14:\d+\)?\n {2}request: \{"purpose":"[a-z]+","job":"150","nodes":\d+,/)
    expect(said).toContain(
      `run.ndjson holds all records before the failure, up to record ${seq}; cloister rerun run.ndjson --policy ./mine.mjs --until ${seq} repeats the request`,
    )
  })

  it.each([
    ['of nothing', 'return', 'place returned undefined (nothing); expected a placement'],
    ['of a promise', 'return Promise.reject(new Error("late"))', 'place returned a promise'],
    ['of an array', 'return [1, 2]', 'place returned an array; expected a placement'],
    ['with a getter that throws', 'return { get ok() { throw new Error("hidden") } }', 'place threw Error: hidden'],
    ['by a thrown text', 'throw "no"', 'place threw "no"'],
    [
      'of nodes that a job holds',
      'answer.nodes = Array.from(nodes, (_, at) => at)',
      'a placement that is not free: node',
    ],
    [
      'with the same array for every job',
      'globalThis.only ??= []; globalThis.only.length = 0; answer.nodes = Object.assign(globalThis.only, nodes)',
      'changed its answer for job',
    ],
  ])('a policy that fails because of an answer %s gets a message about the answer', async (_, answer, says) => {
    const { said, fault } = await simulate(
      answer.startsWith('answer') || answer.includes('only') ? answer : `if (${later}) ${answer}`,
    )
    expect(said).toContain(says)
    expect(said).toContain(`failed at t = ${fault.t} s`)
  })

  it('a policy that fails leaves a log that every command reads, with a remark that the log ended early', async () => {
    const { folder, seq } = await simulate(breaks, '--refusals')
    const policy = ['--policy', './mine.mjs']
    const commands = [
      ['metrics', 'run.ndjson'],
      ['audit', 'run.ndjson'],
      ['state', 'run.ndjson'],
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

describe('a policy that fails before its first request', () => {
  const index = (build: string): string =>
    policySource('').replace('    place:', `    index: { build() { ${build} }, copy() {}, changed() {} },\n    place:`)
  const fails = index("throw new Error('no index')")
  const words = ['simulate', ...small, '--policy', './mine.mjs', '--out', 'run.ndjson']

  it.each(['run.ndjson', 'run.ndjson.zst'])(
    'a policy failing in index.build leaves a log with a header: %s',
    async (log) => {
      const folder = new Folder()
      folder.write('mine.mjs', fails)
      const said = complaint(await folder.cloister(...words.with(-1, log)))
      expect(said).toContain('policy mine (./mine.mjs) failed: index.build threw Error: no index\n  at ')
      const again = `cloister rerun ${log} --policy ./mine.mjs`
      expect(said).toContain(
        `the policy failed before the first request, so that ${log} has no request to repeat; ${again} fails in the same way`,
      )
      const metrics = await folder.cloister('metrics', log)
      expect([metrics.code, metrics.stderr]).toEqual([3, expect.stringContaining(`${log}: not finished`)])
      expect(complaint(await folder.cloister('rerun', log, '--policy', './mine.mjs'))).toContain(
        'index.build threw Error: no index',
      )
      // The file of the mended policy has a new name, because Node imports a file only once.
      folder.write('mended.mjs', index('return {}'))
      const mended = await folder.cloister(...words.with(-3, './mended.mjs').with(-1, log), '--resume')
      expect([mended.code, mended.stderr]).toEqual([0, expect.stringContaining('the missing records were added')])
      expect((await folder.cloister('audit', log)).code).toBe(0)
    },
  )

  it('a policy that fails in make leaves no log, and keeps an earlier log', async () => {
    const folder = new Folder()
    folder.write(
      'mine.mjs',
      policySource('').replace('make: (topology) => ({', "make: () => { throw new Error('no') }, _: (topology) => ({"),
    )
    expect(complaint(await folder.cloister(...words))).toContain('policy mine (./mine.mjs) failed in make: no\n')
    expect(existsSync(join(folder.path, 'run.ndjson'))).toBe(false)
    folder.write('run.ndjson', 'kept')
    complaint(await folder.cloister(...words, '--force'))
    expect(readFileSync(join(folder.path, 'run.ndjson'), 'utf8')).toBe('kept')
  })
})

describe('--resume of a log that ends with a failure', () => {
  it.each([
    ['fails again', breaks, '0.1.0', "place threw TypeError: Cannot read properties of undefined (reading 'such')"],
    ['answers now', '', '0.1.0', '"type":"fault","job":"150"'],
    ['answers now, under another version', '', '0.1.1', 'policy.version is "0.1.0" there, "0.1.1" here'],
  ])('--resume of a failed run refuses a policy that %s, and keeps the log', async (_, answer, version, says) => {
    const { folder } = await simulate(breaks)
    const path = join(folder.path, 'run.ndjson')
    const before = readFileSync(path)
    folder.write('now.mjs', policySource(answer, version))
    const resume = ['simulate', ...small, '--policy', './now.mjs', '--out', 'run.ndjson', '--resume']
    expect(complaint(await folder.cloister(...resume))).toContain(says)
    expect(readFileSync(path).equals(before)).toBe(true)
  })
})

/** Runs the built program in a process, with a policy whose code begins with `top`. */
function inProcess(top: string, answer: string, ...more: ReadonlyArray<string>) {
  const folder = new Folder()
  folder.write('mine.mjs', `${top}\n${policySource(answer)}`)
  const args = ['simulate', ...small, '--policy', './mine.mjs', '--out', 'run.ndjson', ...more]
  return { folder, answer: folder.process(...args) }
}

describe('a policy in the process of the program', () => {
  it.each([
    ['process.exit', '', 'process.exit(0)'],
    ['the function exit of node:process', "import { exit } from 'node:process'", 'exit()'],
    ['process.exit in a constant', 'const { exit } = process', 'exit(0)'],
  ])('code of a policy does not end the process: %s', (_, top, call) => {
    const { answer, folder } = inProcess(top, `if (${later}) ${call}`)
    expect(complaint(answer)).toMatch(
      /place threw ExitCalledError: the policy called process\.exit\(0?\), which would end the whole program\n/,
    )
    const log = readFileSync(join(folder.path, 'run.ndjson'), 'utf8')
    expect(log).toMatch(/"type":"fault","job":"150",.*\n.*"type":"seal".*\n$/)
  })

  it('a policy does not end the process by process.exit during the import or in a timer', () => {
    expect(complaint(inProcess('process.exit(0)', '').answer)).toContain(
      './mine.mjs cannot be imported: ExitCalledError: the policy called process.exit(0)',
    )
    const timer = 'setImmediate(() => process.exit(0)); await new Promise((done) => setTimeout(done, 1000))'
    expect(complaint(inProcess(timer, '').answer, 70)).toContain('ExitCalledError: the policy called process.exit(0)')
  })

  it('a policy may leave a timer; the program ends nevertheless, and reports an error of the timer', () => {
    const { answer } = inProcess('setInterval(() => {}, 1000)', '')
    expect(answer.code).toBe(0)
    expect(answer.stdout).toContain('300 started')
    const thrown = inProcess(
      'setImmediate(() => { throw new Error("nobody waits") }); await new Promise((done) => setTimeout(done, 1000))',
      '',
    )
    expect(thrown.answer.stderr).toContain(
      'cloister: an exception was thrown outside of every command, for example by a timer of a policy: nobody waits\n  at ',
    )
    expect(thrown.answer.code).toBe(70)
  })

  it('a policy in an endless loop is stopped by --max-place-ms, with the request in the log, and again by rerun', async () => {
    const loop = `if (${later}) for (;;);`
    // On a busy machine, a call without a loop has taken more than 0.3 s.
    const { folder, answer } = inProcess('', loop, '--max-place-ms', '3000')
    expect(complaint(answer)).toContain('place gave no answer within 3 s\n  request: {')
    const lines = readFileSync(join(folder.path, 'run.ndjson'), 'utf8').trimEnd().split('\n')
    expect(JSON.parse(lines.at(-2)!)).toMatchObject({ type: 'fault', code: 'time', limit: 3, job: '150' })
    const rerun = await folder.cloister('rerun', 'run.ndjson', '--policy', './mine.mjs')
    expect(rerun.stdout).toMatch(/fails again at the request of record \d+: place gave no answer within 3 s/)
    expect(rerun.code).toBe(3)
  })

  it('under a debugger, rerun --until halts at the repeated request to the policy', async () => {
    const { folder } = inProcess('', `if (${later}) throw new Error('here')`)
    const args = [
      '--inspect-brk=127.0.0.1:0',
      bundle,
      'rerun',
      'run.ndjson',
      '--policy',
      './mine.mjs',
      '--until',
      '780',
    ]
    const child = spawn(process.execPath, args, { cwd: folder.path, stdio: ['ignore', 'ignore', 'pipe'] })
    try {
      const [said] = (await once(child.stderr, 'data')) as [Buffer]
      const inspector = new WebSocket(/ws:\S+/.exec(said.toString())![0])
      await once(inspector, 'open')
      const paused = new Promise<string>((found) => {
        let halts = 0
        inspector.addEventListener('message', ({ data }) => {
          const { method, params } = JSON.parse(String(data))
          if (method !== 'Debugger.paused') return
          // The first halt of the debugger comes from --inspect-brk, before the program begins.
          if (halts++ > 0) found(params.callFrames[0].functionName)
          else inspector.send(JSON.stringify({ id: 9, method: 'Debugger.resume' }))
        })
      })
      for (const [id, method] of ['Debugger.enable', 'Runtime.runIfWaitingForDebugger'].entries())
        inspector.send(JSON.stringify({ id, method }))
      expect(await paused).toMatch(/^answerOf/)
      inspector.close()
    } finally {
      child.kill('SIGKILL')
    }
  })
})

describe('cloister sweep', () => {
  const cell = { trace: 'synth:4:200', topology: 'radix:6', queue: ['fcfs', 'easy:9', 'easy:2'] }

  it.each([
    ['throws', 'throw new Error("no")', /place threw Error: no\n/],
    ['calls process.exit', 'process.exit(0)', /ExitCalledError: the policy called process\.exit\(0\)/],
    [
      'ends its thread',
      'process.reallyExit(3)',
      /the thread of the cell ended with exit code 3; code of the policy may have/,
    ],
    ['never answers', 'for (;;);', /place gave no answer within 3 s/],
  ])('sweep names the cells with a policy that %s, and runs the rest', (_, answer, says) => {
    const folder = new Folder()
    folder.write(
      'mine.mjs',
      `setInterval(() => {}, 1000)\n${policySource(`if (job === '99' && request.now > 0) ${answer}`)}`,
    )
    const cells = [{ ...cell, policy: ['./mine.mjs', 'baseline'], maxPlaceMs: 3000 }]
    folder.write('experiment.json', JSON.stringify({ cells }))
    const { code, stdout, stderr } = folder.process('sweep', 'experiment.json', '--workers', '2')
    expect(stderr).toMatch(says)
    expect(stderr).toMatch(/^  (1 run|\d runs, first) synth:4:200, radix:6, \.\/mine\.mjs, /m)
    expect(stdout).toContain('3 results in experiment.results.ndjson')
    expect(code).toBe(3)
  })

  it('sweep refuses a file of results that another process writes, under any name of the file', async () => {
    const folder = new Folder()
    folder.write('experiment.json', JSON.stringify({ cells: [{ ...cell, policy: 'baseline' }] }))
    const lock = lockForWriting(join(folder.path, 'results.ndjson'))
    try {
      const said = complaint(await folder.cloister('sweep', 'experiment.json', '--out', 'results.ndjson'))
      expect(said).toContain(
        `cannot write results.ndjson: process ${process.pid} writes the file; if no process does, delete `,
      )
    } finally {
      lock.release()
    }
    expect((await folder.cloister('sweep', 'experiment.json', '--out', 'results.ndjson')).code).toBe(0)
    expect(existsSync(join(folder.path, 'results.ndjson.lock'))).toBe(false)
    linkSync(join(folder.path, 'results.ndjson'), join(folder.path, 'other.ndjson'))
    expect(complaint(await folder.cloister('sweep', 'experiment.json', '--out', 'other.ndjson', '--resume'))).toContain(
      'cannot write other.ndjson: the file has 2 names (hard links), and another process could write it under another name; write to a copy of the file',
    )
  })
})

describe('rerun of a log that ends with a fault record', () => {
  it('rerun of a log that ends with a fault record reports that the policy fails again', async () => {
    const { folder, seq } = await simulate(breaks)
    const { stdout, code } = await folder.cloister('rerun', 'run.ndjson', '--policy', './mine.mjs')
    expect(stdout).toMatch(/^equal: mine@0\.1\.0 decides again as in all [\d,]+ records of the log/)
    expect(stdout).toContain(`and fails again at the request of record ${seq}: place threw TypeError`)
    expect(code).toBe(3)
    expect(
      JSON.parse((await folder.cloister('rerun', 'run.ndjson', '--policy', './mine.mjs', '--json')).stdout),
    ).toMatchObject({ equal: true, difference: null, fault: { seq, request: { job: '150' } } })
  })

  it('rerun of a log that ends with a fault record reports that a mended policy of any version answers the request', async () => {
    const { folder, seq } = await simulate(breaks)
    folder.write('mended.mjs', policySource('', '0.1.1'))
    const { stdout, code } = await folder.cloister('rerun', 'run.ndjson', '--policy', './mended.mjs')
    expect(stdout).toContain(`mended            mine@0.1.1 answers the request of record ${seq} without a failure`)
    expect(stdout).toMatch(/^in the rerun +\{"seq":\d+,"t":[\d.]+,"type":"(allocate|reserve)"/m)
    expect(code).toBe(1)
  })

  it('rerun --until repeats the request of the fault record, and the request of any record', async () => {
    const { folder, seq, fault } = await simulate(breaks)
    const until = (policy: string, record: number, ...more: ReadonlyArray<string>) =>
      folder.cloister('rerun', 'run.ndjson', '--policy', policy, '--until', String(record), ...more)
    const again = await until('./mine.mjs', seq)
    expect(again.stdout).toMatch(new RegExp(`^record +${seq}, \\{"seq":${seq},"t":${fault.t},"type":"fault"`, 'm'))
    expect(again.stdout).toMatch(/^request +\{"purpose":"[a-z]+","job":"150",/m)
    expect(again.stdout).toMatch(/^answer +place threw TypeError: .*\nthrown +at .*mine\.mjs:14/m)
    expect(again.code).toBe(1)
    folder.write('mended.mjs', policySource(''))
    const mended = await until('./mended.mjs', seq)
    expect(mended.stdout).toMatch(/^answer +nodes [\d,-]+/m)
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
      'the log has no record 99999 (--until); the last record is ',
    )
  })
})

describe('explain, if the policy fails at a request that its run did not make', () => {
  it('explain agrees with rerun, and prints reasons, if the policy fails at a request that only explain makes', async () => {
    const folder = new Folder()
    // The run itself makes no request for more nodes than are free, but explain does, and there this policy throws.
    const source = policySource('').replace(
      'if (size > state.freeNodes) ',
      "if (size > state.freeNodes && request.now > 0) throw new Error('too few')\n      if (size > state.freeNodes) ",
    )
    folder.write('mine.mjs', source)
    const policy = ['--policy', './mine.mjs'] as const
    await folder.cloister('simulate', ...small, ...policy, '--out', 'run.ndjson')
    const rerun = await folder.cloister('rerun', 'run.ndjson', ...policy)
    expect([rerun.code, rerun.stdout]).toEqual([0, expect.stringMatching(/^equal: /)])
    const explained = await folder.cloister('explain', 'run.ndjson', '--job', '150', ...policy)
    expect([explained.code, explained.stderr]).toEqual([0, ''])
    expect(explained.stdout).toMatch(/^the policy fails at this request +\d/m)
  })
})
