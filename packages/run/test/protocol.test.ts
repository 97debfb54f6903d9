import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bindPolicy, ClusterState, type Outcome, type Request } from '@cloister/placement'
import { parseTopology } from '@cloister/topology'
import { describe, expect, it } from 'vitest'
import { Program } from '../src/node/index.ts'

const kits = join(import.meta.dirname, '../../placement/kits')
const python = `python3 ${kits}/python/first_fit.py`
const hasPython = spawnSync('python3', ['--version']).status === 0

/** Returns the messages of the examples in PROTOCOL.md: lines of Cloister (`>`) and of the program (`<`). */
function examples(): { readonly questions: ReadonlyArray<string>; readonly answers: ReadonlyArray<string> } {
  const text = readFileSync(join(kits, '../PROTOCOL.md'), 'utf8')
  const lines = [...text.matchAll(/^```text\n(.*?)^```/gms)].flatMap(([, block]) => block.trimEnd().split('\n'))
  const of = (mark: string): ReadonlyArray<string> =>
    lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(2))
  return { questions: of('> '), answers: of('< ') }
}

const request = (job: string, nodes: number, more: Partial<Request> = {}): Request => ({
  purpose: 'start',
  job,
  nodes,
  now: 60_000,
  submitted: 0,
  estimate: 3_600_000,
  bandwidth: undefined,
  communication: undefined,
  ...more,
})

/** Asks a program the questions of PROTOCOL.md, in the states that the page describes. */
function play(program: Program): ReadonlyArray<Outcome> {
  const topology = parseTopology('pgft:2;3,2;1,2;1,1')
  const { placer } = bindPolicy(program.policy, topology)
  const state = new ClusterState<unknown>(topology)
  const ask = (asked: Request, of = state): Outcome => placer.place(of, asked, undefined)
  const outcomes = [ask(request('7', 2))]
  const seven = { job: '7', nodes: [0, 1], links: [], estimatedEnd: 3_660_000, startOrder: 0 }
  state.apply(seven)
  outcomes.push(ask(request('8', 5)))
  const later = state.fork()
  later.releaseFirst(1)
  outcomes.push(ask(request('8', 5, { purpose: 'reserve', decidedAt: 60_000, startsAt: 3_660_000 }), later))
  later.drop()
  const beside = state.fork()
  beside.withhold({ nodes: [0, 1, 2, 3, 4], links: [] })
  outcomes.push(ask(request('9', 1, { purpose: 'backfill' }), beside))
  beside.drop()
  state.release(seven)
  state.fail({ nodes: [3], links: [[1]] })
  outcomes.push(ask(request('8', 5, { now: 90_000 })))
  return outcomes
}

describe.skipIf(!hasPython)('PROTOCOL.md', () => {
  const { questions, answers } = examples()

  it('the questions are the messages of Cloister', () => {
    const folder = mkdtempSync(join(tmpdir(), 'cloister-test-'))
    const program = new Program(
      `sh -c 'python3 ${import.meta.dirname}/programs/keep_lines.py ${folder}/questions | ${python}'`,
    )
    try {
      play(program)
      expect(readFileSync(join(folder, 'questions'), 'utf8').trimEnd().split('\n')).toEqual(questions)
    } finally {
      program.end()
      rmSync(folder, { recursive: true })
    }
  })

  it('the answers are the messages of first_fit.py', () => {
    const { stdout, status } = spawnSync('sh', ['-c', python], { input: `${questions.join('\n')}\n`, encoding: 'utf8' })
    expect(status).toBe(0)
    expect(stdout.trimEnd().split('\n')).toEqual(answers)
  })
})
