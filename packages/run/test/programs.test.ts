import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { Effect, Exit } from 'effect'
import { afterEach, describe, expect, it } from 'vitest'
import { run } from '../src/index.ts'
import { limitAnswers, nodeServices, Program } from '../src/node/index.ts'
import { marked } from './programs/marked.ts'

const script = join(import.meta.dirname, 'programs', 'misbehaves.mjs')
const processes = marked()

const started: Array<Program> = []

function start(way: string): Program {
  const program = new Program(`${process.execPath} ${script} ${way}`)
  started.push(program)
  return program
}

afterEach(() => {
  for (const program of started.splice(0)) program.end()
  limitAnswers(60_000)
})

async function runOf(
  program: Program,
  maxPlaceMs: number,
): Promise<{ readonly log: string; readonly failed: boolean; readonly exit: unknown }> {
  const chunks: Array<Uint8Array> = []
  const spec = { trace: 'synth:4:40', topology: 'radix:6', policy: program.policy.name, queue: 'easy:9', maxPlaceMs }
  const services = nodeServices({ policies: [program.policy] })
  const exit = await Effect.runPromiseExit(
    run(spec, { sink: (chunk) => chunks.push(chunk) }).pipe(Effect.provide(services)),
  )
  return { log: Buffer.concat(chunks).toString(), failed: Exit.isFailure(exit), exit }
}

const LIMIT = 300
/** Time limit in tests of programs that do not hang. */
const LONG = 15_000
const last = 'its last message: {"id":4,"ok":true,'
const late = `the program gave no answer within ${LIMIT / 1000} s; ${last}`

describe.skipIf(process.platform !== 'linux')('a program that misbehaves ends the run with a fault:', () => {
  // Regression: a killed process of a busy machine was still alive when the run ended (closes-its-output).
  it.each<[string, string, number]>([
    ['exits', `the program ended with exit code 3 before its answer; ${last}`, LONG],
    ['is-aborted', `the program was ended by the signal SIGABRT before its answer; ${last}`, LONG],
    ['hangs', late, LIMIT],
    ['ignores-signals', late, LIMIT],
    ['stops-itself', late, LIMIT],
    ['loops', late, LIMIT],
    ['prints-text', 'the program answered with a line that is no JSON object: placing job 2', LONG],
    ['prints-a-list', 'the program answered with a line that is no JSON object: [1,2]', LONG],
    ['prints-an-empty-line', 'the program answered with a line that is no JSON object: an empty line', LONG],
    ['prints-bytes', 'the program answered with a line that is no JSON object: \ufffd\ufffd\\u0000', LONG],
    ['exits-in-a-line', 'the program answered with a line that is no JSON object: {"id":5,"ok":tr', LONG],
    ['hangs-in-a-line', late, LIMIT],
    ['answers-an-earlier-question', 'the program answered with the id 4; expected 5', LONG],
    ['answers-without-an-id', 'the program answered with the id none; expected 5', LONG],
    ['answers-twice', 'the program sent a line without a question: {"id":5,', LONG],
    ['floods-a-line', 'the program sent a line of more than 16777216 bytes', LONG],
    ['floods-lines', 'the program answered with the id none; expected 5', LONG],
    ['names-strange-nodes', 'the program answered with nodes three: ', LONG],
    ['reports-an-error', 'the program reported an error: KeyError: 7', LONG],
    ['closes-its-output', late, LIMIT],
    ['closes-its-input', 'the program closed its standard input; its last message: {"id":5,', LONG],
    ['leaves-a-child', `the program ended with exit code 4 before its answer; ${last}`, LONG],
    ['leaves-a-child-outside-of-its-group', `the program ended with exit code 4 before its answer; ${last}`, LONG],
  ])('%s', async (way, message, limit) => {
    const program = start(way)
    const began = performance.now()
    const { log, failed, exit } = await runOf(program, limit)
    const took = performance.now() - began
    expect(failed).toBe(true)
    const fault = log.split('\n').find((line) => line.includes('"type":"fault"'))
    expect(fault, JSON.stringify(exit)).toBeDefined()
    expect(JSON.parse(fault!).message).toContain(message)
    expect(took).toBeLessThan(limit + 2000)
    expect(processes()).toEqual([])
  })

  it.each([
    ['exits-at-once', 'the program ended with exit code 5 before its answer'],
    ['never-reads', 'the program gave no answer within 0.3 s'],
    ['is-called-strangely', 'the program answered hello wrongly: name is "My Policy", expected'],
  ])('%s, before the run', (way, message) => {
    limitAnswers(LONG, way === 'never-reads' ? LIMIT : LONG)
    expect(() => start(way)).toThrow(message)
    expect(processes()).toEqual([])
  })

  it('a command that does not exist', () => {
    expect(() => new Program('no-such-program-anywhere')).toThrow(
      'the program ended with exit code 127 before its answer',
    )
    expect(processes()).toEqual([])
  })

  it('makes-no-claims', async () => {
    const { failed } = await runOf(start('makes-no-claims'), LONG)
    expect(failed).toBe(true)
  })
})

describe.skipIf(process.platform !== 'linux')('a program that behaves', () => {
  it('ends with its input, and a program that goes on is killed', async () => {
    for (const way of ['behaves', 'goes-on-after-the-end']) {
      const program = start(way)
      const { log, failed } = await runOf(program, LONG)
      expect(failed).toBe(false)
      expect(log).toContain('"type":"end"')
      expect(processes()).not.toEqual([])
      program.end()
      expect(processes()).toEqual([])
    }
  })

  it('is started again by make after a fault', async () => {
    const program = start('exits')
    expect((await runOf(program, LONG)).failed).toBe(true)
    const { log } = await runOf(program, LONG)
    expect(log).toContain('ended with exit code 3')
  })
})
