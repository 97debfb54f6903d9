import { readFileSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Console, Effect } from 'effect'
import { describe, expect, it } from 'vitest'
import { checkRun, kindOf } from '@cloister/fuzz'
import { fileSystem } from '@cloister/run/node'
import { tester } from '../src/commands/fuzz/search.ts'
import { nodePolicyLookup } from '../src/policy/policy-lookup.ts'
import { prepareRun } from '../src/run/prepare-run.ts'
import { Folder, complaint, inTurn } from './cloister.ts'

const wrong = (name: string): string =>
  resolve(import.meta.dirname, `../../../packages/placement/test/wrong/${name}.ts`)

/** Returns the kind of the fault of a simulation of a trace, or undefined for a sound run. */
async function faultOf(policy: string, topology: string, trace: string, queue: string): Promise<string | undefined> {
  const silent = Object.assign(Object.create(console), { log: () => {}, error: () => {} })
  const spec = { trace, topology, policy, queue, estimates: 'exact' } as const
  const run = await Effect.runPromise(
    prepareRun(spec, undefined).pipe(
      Effect.provide([nodePolicyLookup([]), fileSystem]),
      Effect.provideService(Console.Console, silent),
    ),
  )
  const { fault } = checkRun(run, tester)
  return fault && kindOf(fault)
}

describe('cloister minimise', () => {
  it.each([
    ['either-end-in-turn', 'simulate', 'radix:4', 'synth:3:30'],
    ['leaks-on-release', 'audit', 'radix:6', 'synth:5:40'],
    ['owns-no-spine-links', 'audit', 'radix:6', 'synth:5:58'],
  ])(
    'minimise shrinks a run of the policy %s to a few jobs that are all necessary for the fault',
    async (name, command, topology, trace) => {
      const folder = new Folder()
      const policy = wrong(name)
      const run = ['--trace', trace, '--topology', topology, '--policy', policy, '--seed', '7', '--refusals']
      const { stdout } = await folder.cloister('minimise', ...run, '--json')
      const found = JSON.parse(stdout)
      expect(found).toMatchObject({ fault: { command }, minimal: true })
      expect(found.jobs.to).toBeLessThan(15)
      expect(found.reproduce).not.toMatch(/--seed|--refusals/)

      // The printed commands show the fault.
      const commands = found.reproduce.split('; ').map((each: string) => each.replaceAll("'", '').split(' ').slice(1))
      const answers = await inTurn(commands as ReadonlyArray<ReadonlyArray<string>>, (words) =>
        folder.cloister(...words),
      )
      if (command === 'audit') expect(answers.at(-1)?.code).toBe(1)

      const lines = readFileSync(join(folder.path, 'minimised/trace.swf'), 'utf8').match(/^\d.*$/gm)!
      expect(lines).toHaveLength(found.jobs.to)
      const queue = /--queue (\S+)/.exec(found.reproduce)?.[1] ?? 'easy:50'
      const kinds = await inTurn([...lines.keys(), -1], (left) => {
        const some = folder.write('some.swf', `${lines.filter((_, at) => at !== left).join('\n')}\n`)
        if (lines.length === 1 && left === 0) return Promise.resolve(undefined)
        return faultOf(policy, found.topology.to, join(folder.path, some), queue)
      })
      expect(kinds.at(-1)).toBe(kindOf(found.fault))
      expect(kinds.slice(0, -1)).not.toContain(kinds.at(-1))
    },
  )

  it('minimise keeps the outages that the fault needs', async () => {
    const folder = new Folder()
    const lines = [1, 2, 3].flatMap((node) => [
      { t: 10 * node, type: 'down', nodes: String(node) },
      { t: 10 * node + 4000, type: 'up', nodes: String(node) },
    ])
    const byTime = lines.toSorted((a, b) => a.t - b.t).map((line) => `${JSON.stringify(line)}\n`)
    folder.write('outages.ndjson', byTime.join(''))
    folder.write('mine.mjs', throwsWhen('!state.isNodeFree(2)', 'node !== 2'))
    const run = ['--trace', 'synth:2:20', '--topology', 'radix:4', '--policy', './mine.mjs', '--arrivals', 'zero']
    const { stdout } = await folder.cloister('minimise', ...run, '--outages', 'outages.ndjson')
    expect(stdout).toMatch(/^jobs +[123] of 20$/m)
    expect(stdout).toContain('--outages minimised/outages.ndjson')
    const kept = readFileSync(join(folder.path, 'minimised/outages.ndjson'), 'utf8')
    expect(
      kept
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([expect.objectContaining({ type: 'down', nodes: '2' })])
    const again = /^cloister (simulate .*)$/m.exec(stdout)![1].replaceAll("'", '').split(' ')
    expect(complaint(await folder.cloister(...again))).toContain('no room for it')
  })

  it('minimise shrinks the run of a log that ends with a fault, from the log alone', async () => {
    const folder = new Folder()
    folder.write('mine.mjs', throwsWhen('request.nodes > 3'))
    folder.write('outages.ndjson', '{"t":5,"type":"down","nodes":"15"}\n')
    const run = [
      '--trace',
      'synth:2:20',
      '--topology',
      'radix:4',
      '--policy',
      './mine.mjs',
      '--outages',
      'outages.ndjson',
    ]
    complaint(
      await folder.cloister('simulate', ...run, '--queue', 'easy:5', '--order', 'shortest', '--out', 'run.ndjson'),
    )
    const words = ['minimise', 'run.ndjson', '--policy', './mine.mjs']
    const found = (await folder.json(...words)) as { readonly reproduce: string }
    expect(found).toMatchObject({ fault: { command: 'simulate' }, minimal: true, jobs: { to: 1 } })
    const again = found.reproduce.replaceAll("'", '').split(' ').slice(1)
    expect(complaint(await folder.cloister(...again))).toContain('no room for it')

    expect(complaint(await folder.cloister(...words, '--queue', 'fcfs'))).toContain(
      '--queue cannot be used with a log: run.ndjson has the options of the run',
    )
    await folder.log('sound.ndjson')
    expect(complaint(await folder.cloister('minimise', 'sound.ndjson'))).toContain('the log has no fault record')
    folder.write('mended.mjs', throwsWhen('false'))
    expect(complaint(await folder.cloister('minimise', 'run.ndjson', '--policy', './mended.mjs', '--force'))).toMatch(
      /the log ends with the fault ".*no room for it.*", and the run of its jobs now has no fault; cloister rerun/,
    )
  })

  it('minimise shrinks a run in which a program as policy ends with an error', async () => {
    const folder = new Folder()
    folder.write('mine.mjs', endsWhen('request.nodes > 3 && Object.keys(held).length > 0'))
    const policy = `exec:${process.execPath} mine.mjs`
    const run = ['--trace', 'synth:2:20', '--topology', 'radix:4', '--policy', policy]
    const found = (await folder.json('minimise', ...run)) as { readonly reproduce: string }
    expect(found).toMatchObject({ fault: { command: 'simulate' }, minimal: true, jobs: { from: 20, to: 2 } })
    const again = found.reproduce.replace(`'${policy}'`, 'POLICY').split(' ').slice(1)
    const words = again.map((word) => (word === 'POLICY' ? policy : word.replaceAll("'", '')))
    expect(complaint(await folder.cloister(...words))).toContain('the program ended with exit code 7 before its answer')
  })

  it('minimise reports a run without a fault and the end of --minutes, and overwrites no file', async () => {
    const folder = new Folder()
    const run = ['minimise', '--trace', 'synth:2:20', '--topology', 'radix:4', '--policy'] as const
    const sound = await folder.cloister(...run, 'baseline')
    expect(sound).toMatchObject({ code: 1, stdout: expect.stringContaining('The run has no fault') })
    expect(readdirSync(folder.path)).toEqual([])
    folder.write('mine.mjs', throwsWhen('request.nodes > 1'))
    const hurried = await folder.json(...run, './mine.mjs', '--minutes', '1e-9')
    expect(hurried).toMatchObject({ minimal: false, jobs: { from: 20, to: 20 } })
    expect(complaint(await folder.cloister(...run, './mine.mjs'))).toContain('trace.swf exists; --force overwrites it')
    expect(await folder.json(...run, './mine.mjs', '--force')).toMatchObject({ minimal: true, jobs: { to: 1 } })
    const own = ['minimise', '--trace', 'minimised/trace.swf', '--topology', 'radix:4', '--policy', './mine.mjs']
    expect(complaint(await folder.cloister(...own, '--force'))).toContain('trace.swf cannot be written, because')
    expect(complaint(await folder.cloister(...own, '--out', 'x', '--minutes', '0'))).toContain('--minutes: found 0')
  })
})

/** Returns a program that places jobs on the first free nodes, and ends with exit code 7 under a condition. */
function endsWhen(condition: string): string {
  return `import { createInterface } from 'node:readline'
const parts = new Map()
const ids = (text) => text.split(',').flatMap((range) => {
  const [first, last = first] = range.split('-').map(Number)
  return Array.from({ length: last - first + 1 }, (_, at) => first + at)
})
const claims = { links: 'shared', fullBandwidth: false, exactSize: true, monotone: true, complete: true, speedupScenarios: false }
const place = ({ placer, changes, whatIf, request }) => {
  const part = parts.get(placer)
  const fold = (held, { ended = [], released = [], started = [] } = {}) => {
    for (const job of [...ended, ...released]) delete held[job.job ?? job]
    for (const { job, nodes } of started) held[job] = ids(nodes)
    return held
  }
  fold(part.held, changes)
  const held = fold({ ...part.held }, whatIf)
  if (${condition}) process.exit(7)
  const blocked = whatIf?.blocked?.nodes === undefined ? [] : ids(whatIf.blocked.nodes)
  const taken = new Set([...Object.values(held).flat(), ...blocked])
  const free = [...Array(part.nodes).keys()].filter((node) => !taken.has(node))
  if (request.nodes > part.nodes) return { ok: false, code: 'never', constraint: 'machine size' }
  if (free.length < request.nodes) return { ok: false, code: 'too-few-nodes', free: free.length }
  return { ok: true, nodes: free.slice(0, request.nodes), links: [] }
}
const answers = {
  hello: () => ({ contract: 1, name: 'mine', version: '1.0.0' }),
  config: ({ config }) => ({ config }),
  make: ({ placer, topology }) => {
    parts.set(placer, { nodes: topology.nodes, held: {} })
    return { claims }
  },
  place,
}
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line)
  process.stdout.write(JSON.stringify({ id: message.id, ...answers[message.type](message) }) + '\\n')
}
`
}

/** Returns a policy's code that throws under a condition, and else takes the first free nodes that `gives` allows. */
function throwsWhen(condition: string, gives = 'true'): string {
  return `export default {
  contract: 1,
  name: 'mine',
  version: '1.0.0',
  config: { '~standard': { version: 1, vendor: 'mine', validate: (value) => ({ value }) } },
  make: (topology) => ({
    claims: { links: 'shared', fullBandwidth: false, exactSize: true, monotone: false, complete: false, speedupScenarios: false },
    place: (state, request) => {
      if (${condition}) throw new Error('no room for it')
      const free = Array.from({ length: topology.nodes }, (_, node) => node).filter((node) => state.isNodeFree(node) && ${gives})
      if (free.length < request.nodes) return { ok: false, code: 'too-few-nodes', free: free.length }
      return { ok: true, nodes: free.slice(0, request.nodes), links: [] }
    },
  }),
}
`
}
