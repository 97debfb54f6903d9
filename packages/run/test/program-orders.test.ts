import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { bindOrder, type Ordering, type QueueView, type RunColumns } from '@cloister/ordering'
import { orderChecks, runChecks } from '@cloister/ordering/checks'
import { baseline } from '@cloister/policy-baseline'
import { seededDraws } from '@cloister/topology'
import { Cause, Effect, Exit } from 'effect'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { OtherOrders, run } from '../src/index.ts'
import { limitAnswers, nodeServices, type ProgramOrder, programOrder } from '../src/node/index.ts'
import { marked } from './programs/marked.ts'

const kits = join(import.meta.dirname, '../../ordering/kits/python')
const wfp = `python3 ${kits}/wfp.py`
const hasPython = spawnSync('python3', ['--version']).status === 0
const processes = marked()
const started: Array<ProgramOrder> = []

function start(command: string): ProgramOrder {
  const order = programOrder(command)
  started.push(order)
  return order
}

const misbehaving = (way: string): ProgramOrder =>
  start(`${process.execPath} ${import.meta.dirname}/programs/misbehaving_order.mjs ${way}`)

afterEach(() => {
  for (const order of started.splice(0)) order.end()
  limitAnswers(60_000)
})

interface Job {
  readonly id: string
  readonly size: number
  readonly estimate: number
  readonly submitted: number
  readonly user: number
}

type Run = Readonly<Record<'nodes' | 'user' | 'started' | 'end', number>>

const columns = <Row extends object>(rows: ReadonlyArray<Row>, names: ReadonlyArray<keyof Row>): any => ({
  length: rows.length,
  ...Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name])])),
})

function viewOf(
  now: number,
  waiting: ReadonlyArray<Job>,
  running: ReadonlyArray<Run> = [],
  ended: ReadonlyArray<Run> = [],
  users: ReadonlyArray<string> = ['ann', 'béa'],
): QueueView {
  const ofRuns = (runs: ReadonlyArray<Run>): RunColumns => columns(runs, ['nodes', 'user', 'started', 'end'])
  const ofJobs = columns(waiting, ['id', 'size', 'estimate', 'submitted', 'user'])
  return { now, waiting: ofJobs, running: ofRuns(running), ended: ofRuns(ended), users }
}

function scoresIn(ordering: Ordering, view: QueueView): ReadonlyArray<number> {
  const scores = new Float64Array(view.waiting.length).fill(NaN)
  ordering.score(view, scores)
  return [...scores]
}

describe.skipIf(!hasPython)('PROTOCOL.md of orders', () => {
  const text = readFileSync(join(kits, '../../PROTOCOL.md'), 'utf8')
  const lines = [...text.matchAll(/^```text\n(.*?)^```/gms)].flatMap(([, block]) => block.trimEnd().split('\n'))
  const questions = lines.filter((line) => line.startsWith('> ')).map((line) => line.slice(2))
  const answers = lines.filter((line) => line.startsWith('< ')).map((line) => line.slice(2))
  const seven = { id: '7', size: 2, estimate: 3_600_000, submitted: 0, user: -1 }
  const eight = { id: '8', size: 4, estimate: 60_000, submitted: 30_000, user: 0 }
  const nine = { id: '9', size: 1, estimate: Infinity, submitted: 90_000, user: -1 }

  it('the questions are the messages of Cloister', () => {
    const folder = mkdtempSync(join(tmpdir(), 'cloister-test-'))
    try {
      const order = start(`sh -c 'python3 ${import.meta.dirname}/programs/keep_lines.py ${folder}/questions | ${wfp}'`)
      const { ordering } = bindOrder(order, { nodes: 16 })
      const views = [
        viewOf(60_000, [seven, eight]),
        viewOf(90_000, [seven, nine]),
        viewOf(120_000, [seven, eight, nine]),
      ]
      expect(views.map((view) => scoresIn(ordering, view))).toEqual(
        answers.slice(3).map((line) => JSON.parse(line).scores),
      )
      expect(readFileSync(join(folder, 'questions'), 'utf8').trimEnd().split('\n')).toEqual(questions.slice(0, -1))
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('the answers are the messages of wfp.py', () => {
    const input = `${questions.slice(0, -1).join('\n')}\n`
    const { stdout, status } = spawnSync('sh', ['-c', wfp], { input, encoding: 'utf8' })
    expect(status).toBe(0)
    expect(stdout.trimEnd().split('\n')).toEqual(answers)
  })

  it('the question scoreBehindHead is a message of Cloister', () => {
    const folder = mkdtempSync(join(tmpdir(), 'cloister-test-'))
    try {
      const order = start(
        `sh -c 'python3 ${import.meta.dirname}/programs/keep_lines.py ${folder}/questions | python3 ${import.meta.dirname}/programs/mirror_order.py'`,
      )
      const view = viewOf(120_000, [{ ...eight, user: -1 }, seven])
      bindOrder(order, { nodes: 16 }).ordering.scoreBehindHead!(view, new Float64Array(2))
      const asked = readFileSync(join(folder, 'questions'), 'utf8').trimEnd().split('\n').at(-1)
      expect(asked).toBe(questions.at(-1)!.replace('"id":7', '"id":4').replace(/\}$/, ',"running":[]}'))
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe.skipIf(!hasPython)('the queue that a program folds from the messages', () => {
  it('equals the view of the scheduler in random histories', () => {
    const order = start(`python3 ${import.meta.dirname}/programs/mirror_order.py`)
    for (let seed = 1; seed <= 6; seed++) {
      const below = seededDraws(seed)
      const { ordering } = bindOrder(order, { nodes: 16 })
      let jobs: Array<Job> = []
      const all: Array<Run> = []
      const aRun = (): Run => ({ nodes: below(9), user: below(3) - 1, started: below(99), end: below(999) })
      for (let step = 0; step < 60; step++) {
        jobs = jobs.filter(() => below(5) > 0).map((job) => (below(9) === 0 ? { ...job, size: below(99) } : job))
        for (let more = below(4); more > 0; more--)
          jobs.splice(below(2) === 0 ? jobs.length : below(jobs.length + 1), 0, {
            id: String(100 * step + more),
            size: 1 + below(9),
            estimate: below(4) === 0 ? Infinity : below(9999),
            submitted: below(9999),
            user: below(3) - 1,
          })
        for (let more = below(3); more > 0; more--) all.push(aRun())
        const ended = all.slice(0, below(15) === 0 ? below(all.length + 1) : all.length)
        const running = Array.from({ length: below(4) }, aRun)
        const view = viewOf(below(9999), jobs, running, ended)
        if (jobs.length > 0 && below(3) === 0) {
          const scores = new Float64Array(jobs.length)
          ordering.scoreBehindHead!(view, scores)
          expect([...scores]).toEqual(behindHeadIn(view, jobs, running, ended))
        } else expect(scoresIn(ordering, view)).toEqual(sumsIn(view, jobs, running, ended))
      }
    }
  })

  const users = ['ann', 'béa']
  const jobRow = ({ id, size, estimate, submitted, user }: Job): unknown => [
    id,
    size,
    estimate === Infinity ? null : estimate,
    submitted,
    users[user] ?? null,
  ]
  const runRows = (runs: ReadonlyArray<Run>): unknown =>
    runs.map((each) => [each.nodes, users[each.user] ?? null, each.started, each.end])
  /** Returns the check sum of values as Python writes the values. */
  const sum = (...parts: ReadonlyArray<unknown>): number => crc32(JSON.stringify(parts).replaceAll('é', '\\u00e9'))

  function sumsIn(
    { now }: QueueView,
    jobs: ReadonlyArray<Job>,
    running: ReadonlyArray<Run>,
    ended: ReadonlyArray<Run>,
  ) {
    return jobs.map((job, row) => sum(row, jobRow(job), [now, runRows(running), runRows(ended)]))
  }

  function behindHeadIn(
    { now }: QueueView,
    [head, ...window]: ReadonlyArray<Job>,
    running: ReadonlyArray<Run>,
    ended: ReadonlyArray<Run>,
  ) {
    const rest = [now, jobRow(head), runRows(running), runRows(ended)]
    return [0, ...window.map((job, row) => (row === 1 ? Infinity : sum(row, jobRow(job), rest)))]
  }
})

async function runOf(
  order: ProgramOrder | 'wfp',
): Promise<{ readonly log: string; readonly failure: string | undefined }> {
  const chunks: Array<Uint8Array> = []
  const name = order === 'wfp' ? order : 'exec:'
  const spec = { trace: 'synth:8:150', topology: 'radix:8', policy: baseline.name, queue: 'easy:50', order: name }
  const exit = await Effect.runPromiseExit(
    run(spec, { sink: (chunk) => chunks.push(chunk) }).pipe(
      Effect.provide(nodeServices({ policies: [baseline] })),
      Effect.provideService(OtherOrders, () => Effect.succeed(order as ProgramOrder)),
    ),
  )
  const failure = Exit.isFailure(exit) ? (Cause.squash(exit.cause) as Error).message : undefined
  return { log: Buffer.concat(chunks).toString(), failure }
}

/** Returns the command of the order WFP in C++. */
function compiled(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cloister-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const flags = ['-O1', '-std=c++17', '-Wall', '-Wextra', '-Werror', '-o', join(folder, 'wfp')]
  const { stderr, status } = spawnSync('g++', [...flags, `${kits}/../cpp/wfp.cpp`], { encoding: 'utf8' })
  expect([stderr, status]).toEqual(['', 0])
  return join(folder, 'wfp')
}

describe.each([
  ['wfp-in-python', hasPython, () => wfp],
  ['wfp-in-cpp', spawnSync('g++', ['--version']).status === 0, compiled],
] as const)('%s', (name, isInstalled, command) => {
  it.skipIf(!isInstalled)('passes every check of the suite, and makes the log of the built-in order wfp', async () => {
    const order = start(command())
    const results = [...runChecks(orderChecks(order))]
    expect(results.filter(({ outcome }) => outcome !== 'ok' && outcome !== 'not-claimed')).toEqual([])
    expect(results.length).toBeGreaterThan(5)
    const { log } = await runOf(order)
    const nameless = (text: string): string => text.replaceAll(/"order":\{"name":"[^"]*"|"hash":"[^"]*"/g, '')
    expect(log).toContain(`"order":{"name":"${name}","version":"1.0.0"`)
    expect(log).toContain('"type":"end"')
    expect(nameless(log)).toBe(nameless((await runOf('wfp')).log))
  })
})

describe.skipIf(process.platform !== 'linux')('an order that misbehaves ends the run with an error:', () => {
  it.each([
    ['exits', 'the program ended with exit code 3 before its answer; its last message: {"id":8,"scores":[0,'],
    ['hangs', 'the program gave no answer within 0.5 s; its last message: {"id":8,"scores":[0,'],
    ['prints-text', 'the program answered with a line that is no JSON object: scores follow'],
    ['gives-too-few-scores', 'the program answered with 130 scores for 131 jobs'],
    ['gives-no-scores', 'the program answered without a list of scores'],
    ['gives-a-text', 'the program answered with the score "low"; expected a number'],
    ['names-a-strange-row', 'the program answered with first; expected a list of different rows below 131'],
    ['names-a-row-twice', 'the program answered with first; expected a list of different rows below 131'],
    ['makes-no-claims', 'order misbehaves: claims is missing, expected { fixed }'],
  ])('%s', async (way, message) => {
    limitAnswers(way === 'hangs' ? 500 : 15_000)
    const order = misbehaving(way)
    const { log, failure } = await runOf(order)
    expect(failure).toContain(message)
    expect(log).not.toContain('"type":"end"')
    if (way === 'makes-no-claims') return
    expect(processes()).toEqual([])
  })

  it('is-called-strangely, before the run', () => {
    expect(() => misbehaving('is-called-strangely')).toThrow('answered hello wrongly: name is "My Order", expected')
    expect(processes()).toEqual([])
  })

  it.skipIf(!hasPython)('a placement policy as a queue order', () => {
    const program = `python3 ${kits}/../../../placement/kits/python/first_fit.py`
    expect(() => start(program)).toThrow('this program is a placement policy')
    expect(processes()).toEqual([])
  })
})
