import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { seededDraws } from '@cloister/topology'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bundle, Folder, inTurn } from './cloister.ts'
import { madeSwf } from './made-swf.ts'

const page = resolve(import.meta.dirname, '../../../packages/ordering/ENVIRONMENT.md')
const sample = resolve(import.meta.dirname, '../../../packages/ordering/kits/python/agent.py')
const hasPython = spawnSync('python3', ['--version']).status === 0
const machine = ['--trace', 'jobs.swf', '--topology', 'radix:4', '--estimates', 'requested']
const options = [...machine, '--policy', 'baseline']

interface Observation {
  readonly error?: string
  readonly now: number
  readonly queue: Readonly<Record<'size' | 'estimate' | 'wait', ReadonlyArray<number>>> & {
    readonly job: ReadonlyArray<string>
  }
  readonly machine: { readonly free: ReadonlyArray<number>; readonly running: { readonly size: ReadonlyArray<number> } }
  readonly totals: Readonly<Record<'jobs' | 'submitted' | 'started' | 'ended', number>>
  /** Only with --placements. */
  readonly candidates: ReadonlyArray<
    Readonly<Record<'nodes' | 'leaves' | 'pods' | 'links', ReadonlyArray<number | null>>> & { readonly policy: string }
  >
  readonly reward: { readonly wait: number; readonly slowdown: number }
  readonly done: boolean
  readonly summary?: { readonly wait: { readonly mean: number }; readonly slowdown: { readonly bounded: number } }
}

type Action = { readonly job: string; readonly placement?: number } | { readonly wait: true }

/** Process of `cloister serve --env` in a folder. */
class Environment {
  readonly #child: ChildProcess
  readonly #answers: AsyncIterator<string>
  #id = 0
  readonly ended: Promise<number | null>

  constructor(folder: Folder, ...more: ReadonlyArray<string>) {
    const run = more.includes('--placements') ? machine : options
    this.#child = spawn(process.execPath, [bundle, 'serve', '--env', ...run, ...more], {
      cwd: folder.path,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    this.#answers = createInterface({ input: this.#child.stdout! })[Symbol.asyncIterator]()
    this.ended = new Promise((done) => this.#child.once('close', done))
    onTestFinished(() => void this.#child.kill('SIGKILL'))
  }

  async ask(message: object): Promise<Observation> {
    const id = ++this.#id
    this.#child.stdin!.write(`${JSON.stringify({ id, ...message })}\n`)
    const answer = JSON.parse((await this.#answers.next()).value)
    expect(answer.id).toBe(id)
    return answer
  }

  /** Plays an episode, and returns its observations. */
  async play(agent: (seen: Observation) => Action, reset: object = {}): Promise<ReadonlyArray<Observation>> {
    const seen = [await this.ask({ type: 'reset', ...reset })]
    while (seen.at(-1)!.done === false) seen.push(await this.ask({ type: 'step', action: agent(seen.at(-1)!) }))
    return seen
  }

  end(): Promise<number | null> {
    this.#child.stdin!.end()
    return this.ended
  }
}

function folderWithJobs(): Folder {
  const folder = new Folder()
  folder.write('jobs.swf', madeSwf)
  return folder
}

const logIn = (folder: Folder, name: string): string => readFileSync(join(folder.path, name), 'utf8')

function allocationsIn(folder: Folder, name: string): ReadonlyArray<any> {
  const lines = logIn(folder, name).trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'allocate')
}

/** Returns the starts of a log: time, job, nodes, links, and if the job was backfilled. */
function startsIn(folder: Folder, name: string): ReadonlyArray<unknown> {
  return allocationsIn(folder, name).map(({ t, job, nodes, links, backfill }) => {
    return [t, job, nodes, links, backfill !== undefined]
  })
}

/** Chooses a job by the rule of the built-in order `wfp`. */
function wfp({ queue }: Observation): Action {
  const scores = queue.job.map((_, row) => {
    const slowdown = queue.wait[row] / Math.max(queue.estimate[row] ?? Infinity, 1000)
    return slowdown * slowdown * slowdown * queue.size[row]
  })
  const best = scores.reduce((most, score) => Math.max(most, score), 0)
  return { job: queue.job[scores.indexOf(best)] }
}

/** Returns an agent that chooses and waits at random. The agent waits only while a job runs. */
function randomAgent(seed: number): (seen: Observation) => Action {
  const below = seededDraws(seed)
  return ({ queue, machine }) =>
    machine.running.size.length > 0 && below(3) === 0 ? { wait: true } : { job: queue.job[below(queue.job.length)] }
}

describe('an agent that chooses by the rule of an order', () => {
  const first = ({ queue }: Observation): Action => ({ job: queue.job[0] })
  // Behind the head that the agent chooses, jobs are in submit order.
  it.each([
    ['wfp', 'fcfs', wfp],
    ['submit', 'unreserved:5', first],
    ['submit', 'easy:10', first],
  ] as const)('by %s under %s starts jobs as a simulation with the order', async (order, queue, agent) => {
    const folder = folderWithJobs()
    await folder.cloister('simulate', ...options, '--queue', queue, '--order', order, '--out', 'simulated.ndjson')
    const environment = new Environment(folder, '--queue', queue)
    await environment.play(agent, { out: 'played.ndjson' })
    expect(await environment.end()).toBe(0)
    expect(startsIn(folder, 'played.ndjson')).toEqual(startsIn(folder, 'simulated.ndjson'))
    expect(startsIn(folder, 'played.ndjson').length).toBeGreaterThan(50)
  })
})

describe('an agent that chooses and waits at random', () => {
  it.each(['fcfs', 'easy:5'])(
    'under %s sees rewards that add up to the summary, in a log without violations',
    async (queue) => {
      const folder = folderWithJobs()
      const environment = new Environment(folder, '--queue', queue)
      const seen = await environment.play(randomAgent(1), { out: 'run.ndjson' })
      await environment.end()
      const { summary, totals } = seen.at(-1)!
      const sum = (of: 'wait' | 'slowdown'): number => seen.reduce((total, { reward }) => total + reward[of], 0)
      expect(-sum('wait') / 1000 / totals.started).toBeCloseTo(summary!.wait.mean, 6)
      expect(-sum('slowdown') / totals.ended).toBeCloseTo(summary!.slowdown.bounded, 6)
      expect(summary).toMatchObject(picked(await folder.json('metrics', 'run.ndjson'), summary!))
      // The auditor cannot test the order of the queue, because the reasons of the agent are not in the log.
      const { stdout } = await folder.cloister('audit', 'run.ndjson')
      expect(stdout).toMatch(/^not ok: 1 claim never tested: .*the log is whole\n/)
      expect(stdout).toContain('the queue order agent is not built in')
    },
  )

  it('sees a chosen job start only if the job has enough nodes, and no start after a wait under fcfs', async () => {
    const environment = new Environment(folderWithJobs(), '--queue', 'fcfs')
    const actions: Array<Action> = []
    const agent = randomAgent(2)
    const seen = await environment.play((now) => (actions.push(agent(now)), actions.at(-1)!))
    for (const [step, action] of actions.entries()) {
      const { queue, machine, totals } = seen[step]
      const free = machine.free.reduce((sum, nodes) => sum + nodes, 0)
      const fits = 'job' in action && queue.size[queue.job.indexOf(action.job)] <= free
      expect(seen[step + 1].totals.started - totals.started).toBe(fits ? 1 : 0)
      expect(free + machine.running.size.reduce((sum, nodes) => sum + nodes, 0)).toBe(16)
    }
  })
})

function picked(metrics: any, like: object): object {
  return Object.fromEntries(
    Object.entries(like).map(([name, value]) => [
      name,
      typeof value === 'object' && value !== null
        ? picked(metrics[0]?.[name] ?? metrics[name], value)
        : (metrics[0]?.[name] ?? metrics[name]),
    ]),
  )
}

describe('episodes', () => {
  it('two episodes in one process, after a left episode, are the episodes of two processes', async () => {
    const folder = folderWithJobs()
    const resets = [1, 2].map((seed) => ({ options: { filter: `first-jobs=${20 * seed}` } }))
    const one = new Environment(folder)
    await one.ask({ type: 'reset' })
    await one.ask({ type: 'step', action: { job: '1' } })
    const together = await inTurn([0, 1], (at) =>
      one.play(randomAgent(at), { ...resets[at], out: `together-${at}.ndjson` }),
    )
    await one.end()
    const apart = await inTurn([0, 1], async (at) => {
      const environment = new Environment(folder)
      const seen = await environment.play(randomAgent(at), { ...resets[at], out: `apart-${at}.ndjson` })
      await environment.end()
      return seen
    })
    expect(together.map((seen) => seen.map(withoutId))).toEqual(apart.map((seen) => seen.map(withoutId)))
    for (const at of [0, 1]) expect(logIn(folder, `together-${at}.ndjson`)).toBe(logIn(folder, `apart-${at}.ndjson`))
    expect(together.map((seen) => seen.at(-1)!.totals.jobs)).toEqual([20, 40])
  })

  it('wrong messages get an error and leave the episode as it was', async () => {
    const folder = folderWithJobs()
    folder.write('exists.ndjson', '')
    const environment = new Environment(folder)
    const error = async (message: object): Promise<string> => (await environment.ask(message)).error ?? ''
    expect(await error({ type: 'step', action: { wait: true } })).toContain('a reset begins an episode')
    expect(await error({ type: 'reset', options: { trace: 'none.swf' } })).toContain('none.swf')
    expect(await error({ type: 'reset', options: { filter: 'first-jobs=0' } })).not.toBe('')
    expect(await error({ type: 'reset', out: 'exists.ndjson' })).toContain('exists.ndjson')
    const undisturbed = new Environment(folder)
    const wrong: ReadonlyArray<readonly [object, string]> = [
      [{ type: 'step', action: { job: '60' } }, '"60", which is not the id of a waiting job'],
      [{ type: 'step', action: { job: 1 } }, 'expected {"job":"ID"} or {"wait":true}'],
      [{ type: 'step', action: { job: '1', wait: true } }, 'expected {"job":"ID"} or {"wait":true}'],
      [{ type: 'step' }, 'action: found nothing'],
      [{ type: 'step', action: { job: '1' }, jobs: 1 }, 'found the field "jobs"'],
      [{ type: 'step', action: { job: '1', placement: 0 } }, 'expected {"job":"ID"} or {"wait":true}'],
      [{ type: 'candidates', job: '1' }, 'type: found "candidates", expected "reset" or "step"'],
      [{ type: 'stop' }, 'type: found "stop"'],
      [{ type: 'reset', options: { queue: 'conservative:5' } }, 'queue: found conservative:5'],
      [{ type: 'reset', options: { queue: 'easy:5,kill' } }, 'queue: found easy:5,kill'],
      [{ type: 'reset', options: { order: 'wfp' } }, 'order: found wfp'],
      [{ type: 'reset', options: { unknown: 1 } }, 'unknown'],
      [{ type: 'reset', options: [] }, 'options: found []'],
      [{ type: 'reset', out: 7 }, 'out: found 7'],
    ]
    const first = await environment.ask({ type: 'reset' })
    expect(withoutId(first)).toEqual(withoutId(await undisturbed.ask({ type: 'reset' })))
    for (const [message, text] of wrong) expect(await error(message)).toContain(text)
    const step = { type: 'step', action: { job: '1' } }
    expect(withoutId(await environment.ask(step))).toEqual(withoutId(await undisturbed.ask(step)))
  })

  it('a wait for which no event would come is wrong', async () => {
    const environment = new Environment(folderWithJobs(), '--arrivals', 'zero')
    await environment.ask({ type: 'reset' })
    expect(await environment.ask({ type: 'step', action: { wait: true } })).toMatchObject({
      error: expect.stringContaining('no event would come'),
    })
  })

  it('lines that are no messages get errors, and the end of the input in an episode ends the program', () => {
    const input = ['{"type":"reset","id":1}', '{"type', '[]', '{"type":"step"}'].join('\n')
    const { status, stdout, stderr } = spawnSync(process.execPath, [bundle, 'serve', '--env', ...options], {
      cwd: folderWithJobs().path,
      encoding: 'utf8',
      input: `${input}\n`,
    })
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect([status, stderr.includes('defect')]).toEqual([0, false])
    expect(answers.map(({ id }) => id)).toEqual([1, null, null, null])
    expect(answers[1].error).toContain('not JSON')
    expect(answers[2].error).toContain('expected a JSON object')
    expect(answers[3].error).toContain('id: found nothing')
  })

  it('serve without --env, and an order or queue without a choice of the head, are refused', async () => {
    const folder = folderWithJobs()
    expect((await folder.cloister('serve', ...options)).stderr).toContain('serve: needs --env')
    const { code, stderr } = await folder.cloister('serve', '--env', ...options, '--queue', 'counting:5')
    expect([code, stderr]).toEqual([2, expect.stringContaining('found counting:5')])
  })
})

describe('an agent that chooses among the placements of policies', () => {
  const first = ({ queue }: Observation): Action => ({ job: queue.job[0], placement: 0 })
  it.each([
    ['jigsaw', 'wfp', 'fcfs', wfp],
    ['jigsaw', 'submit', 'easy:10', first],
    ['contiguous', 'submit', 'unreserved:5', first],
  ] as const)('with %s alone by %s under %s starts jobs as a simulation', async (policy, order, queue, agent) => {
    const folder = folderWithJobs()
    const simulated = ['--policy', policy, '--queue', queue, '--order', order, '--out', 'simulated.ndjson']
    await folder.cloister('simulate', ...machine, ...simulated)
    const environment = new Environment(folder, '--placements', policy, '--queue', queue)
    await environment.play(agent, { out: 'played.ndjson' })
    expect(await environment.end()).toBe(0)
    expect(startsIn(folder, 'played.ndjson')).toEqual(startsIn(folder, 'simulated.ndjson'))
    expect(startsIn(folder, 'played.ndjson').length).toBeGreaterThan(50)
  })

  it.each([
    ['jigsaw,laas,mosaic', 'fcfs'],
    ['jigsaw,ta', 'easy:5'],
    ['baseline,contiguous,slurm-tree', 'unreserved:5'],
  ])('%s under %s sees the placement on which the job starts, in a log without violations', async (names, queue) => {
    const folder = folderWithJobs()
    const environment = new Environment(folder, '--placements', names, '--queue', queue)
    const below = seededDraws(3)
    const expected = new Map<string, unknown>()
    const seen = [await environment.ask({ type: 'reset', out: 'run.ndjson' })]
    while (!seen.at(-1)!.done) {
      const now = seen.at(-1)!
      const row = below(Math.min(now.queue.job.length, 16))
      const job = now.queue.job[row]
      const placement = below(now.candidates.length)
      const { policy, ...arrays } = now.candidates[placement]
      const [nodes, leaves, pods] = [arrays.nodes, arrays.leaves, arrays.pods].map((column) => column[row])
      const { candidates: details } = (await environment.ask({ type: 'candidates', job })) as any
      expect(details[placement]).toMatchObject(nodes === null ? { policy, refusal: {} } : { policy, leaves, pods })
      if (nodes !== null)
        expected.set(job, { policy, nodes: details[placement].nodes, links: details[placement].links })
      seen.push(await environment.ask({ type: 'step', action: { job, placement } }))
      // A job starts at once if, and only if, the chosen policy gives a placement.
      if (nodes !== null) expect(seen.at(-1)!.queue.job).not.toContain(job)
      else if (seen.at(-1)!.now === now.now) expect(seen.at(-1)!.queue.job).toContain(job)
    }
    expect(await environment.end()).toBe(0)
    const starts = allocationsIn(folder, 'run.ndjson').filter(({ job }) => expected.has(job))
    expect(starts.length).toBe(expected.size)
    for (const { job, note, nodes, links = [] } of starts)
      expect({ policy: note.policy, nodes, links }).toEqual(expected.get(job))
    expect(new Set(starts.map(({ note }) => note.policy)).size).toBe(names.split(',').length)
    const { stdout } = await folder.cloister('audit', 'run.ndjson')
    expect(stdout).toMatch(/^not ok: 1 claim never tested: .*the log is whole\n/)
  })

  it('wrong placements and questions get an error and leave the episode as it was', async () => {
    const folder = folderWithJobs()
    const [environment, undisturbed] = [0, 1].map(() => new Environment(folder, '--placements', 'jigsaw,ta'))
    const reset = { type: 'reset', options: { queue: 'fcfs' } }
    expect(withoutId(await environment.ask(reset))).toEqual(withoutId(await undisturbed.ask(reset)))
    const wrong: ReadonlyArray<readonly [object, string]> = [
      [{ type: 'step', action: { job: '1', placement: 2 } }, 'placement: found 2, expected an integer from 0 to 1'],
      [{ type: 'step', action: { job: '1', placement: 'ta' } }, 'placement: found "ta"'],
      [
        { type: 'step', action: { wait: true, placement: 0 } },
        'expected {"job":"ID"}, {"job":"ID","placement":NUMBER} or',
      ],
      [{ type: 'candidates', job: '60' }, '"60", which is not the id of a waiting job'],
      [{ type: 'candidates' }, 'job: found nothing'],
      [{ type: 'candidates', job: '1', nodes: true }, 'found the field "nodes"; a candidates has type, id, job'],
      [{ type: 'reset', options: { policy: 'jigsaw' } }, 'policy: found jigsaw; the option --placements'],
      [{ type: 'reset', options: { placements: 'ta' } }, 'placements: no option has this name'],
    ]
    for (const [message, text] of wrong) expect((await environment.ask(message)).error).toContain(text)
    const step = { type: 'step', action: { job: '1', placement: 1 } }
    expect(withoutId(await environment.ask(step))).toEqual(withoutId(await undisturbed.ask(step)))
  })

  it.each([
    [['baseline,jigsaw'], 'baseline, whose jobs have shared links, and jigsaw, whose jobs have owned links; expected'],
    [['ta,jigsaw,ta'], '--placements: found ta twice'],
    [['ta,none-such'], 'there is no policy "none-such"'],
    [['ta,jigsaw', '--policy', 'ta'], 'serve: needs either --policy, or --placements'],
    [['ta', '--policy-config', '{"jigsaw":{}}'], 'found jigsaw, expected the names ta'],
    [['jigsaw', '--policy-config', '{"jigsaw":{"order":"x"}}'], 'jigsaw: config {"order":"x"} is not valid'],
  ])('--placements %s is refused', async (words, message) => {
    const { code, stderr } = await folderWithJobs().cloister('serve', '--env', ...machine, '--placements', ...words)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  })
})

const withoutId = (answer: Observation): object => ({ ...answer, id: 0 })

describe('ENVIRONMENT.md', () => {
  const text = readFileSync(page, 'utf8')
  /** Each command with its examples. */
  const parts = text.split(/^```sh\ncloister /m).slice(1)

  it.each(parts)('the answers of part %$ are the answers of Cloister', (part) => {
    const lines = [...part.matchAll(/^```text\n(.*?)^```/gms)].flatMap(([, block]) => block.trimEnd().split('\n'))
    const marked = (mark: string): ReadonlyArray<string> =>
      lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(2))
    const shell = `"${process.execPath}" "${bundle}" ${part.slice(0, part.indexOf('\n'))}`
    const input = `${marked('> ').join('\n')}\n`
    const { stdout } = spawnSync('sh', ['-c', shell], { cwd: new Folder().path, encoding: 'utf8', input })
    expect(stdout.trimEnd().split('\n')).toEqual(marked('< '))
  })

  it.skipIf(!hasPython).for([
    ['--policy', 'baseline'],
    ['--placements', 'jigsaw,ta'],
  ])('agent.py learns as the page says with %s %s', { timeout: 60_000 }, (policies) => {
    const run = ['--trace', 'synth:8:100', '--topology', 'radix:8', '--queue', 'fcfs', ...policies]
    const words = [sample, process.execPath, bundle, 'serve', '--env', ...run]
    const { stdout, stderr } = spawnSync('python3', words, { encoding: 'utf8' })
    const [, before, after] = /mean wait on new traces: (\d+) s before, (\d+) s after/.exec(stdout) ?? [stderr]
    expect(text).toContain(`from ${before} s to ${after} s`)
  })
})
