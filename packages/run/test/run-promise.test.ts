import { sha256 } from '@cloister/eventlog/node'
import { jigsaw } from '@cloister/policy-jigsaw'
import { loadWorkloadFrom } from '@cloister/trace-io'
import { Cause, Effect, Exit } from 'effect'
import { describe, expect, it } from 'vitest'
import {
  FileError,
  type GivenSpec,
  isTagged,
  loadOptions,
  type PlainServices,
  plainServices,
  run,
  runPromise,
} from '../src/index.ts'
import { nodeServices } from '../src/node/index.ts'

const least: GivenSpec = { trace: 'synth:4:60', topology: 'radix:6', policy: 'jigsaw', queue: 'easy:9' }
const noFiles = { open: () => undefined, find: () => expect.fail() }
const loadJobs: PlainServices['loadJobs'] = (trace, options) => loadWorkloadFrom(noFiles, trace, loadOptions(options))
const plain: PlainServices = { policies: [jigsaw], hash: sha256, loadJobs }
const onNode = nodeServices({ policies: [jigsaw] })

async function logOf(given: GivenSpec, services = onNode): Promise<string> {
  const log: Array<Uint8Array> = []
  const { totals } = await runPromise(given, { sink: (chunk) => log.push(chunk) }, services)
  expect(totals).toMatchObject({ submitted: 60, finished: 60 })
  return Buffer.concat(log).toString()
}

describe('runPromise', () => {
  it('runPromise writes the bytes that run writes, with services of Node and with plain services', async () => {
    const log: Array<Uint8Array> = []
    await Effect.runPromise(run(least, { sink: (chunk) => log.push(chunk) }).pipe(Effect.provide(onNode)))
    const expected = Buffer.concat(log).toString()
    expect(await logOf(least)).toBe(expected)
    expect(await logOf(least, plainServices(plain))).toBe(expected)
  })

  it.each<[string, Partial<GivenSpec>]>([
    ['an unknown policy', { policy: 'jigsow' }],
    ['a wrong trace', { trace: 'synth:0' }],
    ['a missing trace', { trace: 'none.swf' }],
    ['a wrong filter', { filter: 'nodes>100' }],
    ['a missing file', { outages: 'none.ndjson' }],
    ['a wrong config', { config: { order: 'best' } }],
    ['a wrong queue', { queue: 'easy:0' }],
  ])('runPromise rejects with the error of run for %s', async (_, wrong) => {
    const given = { ...least, ...wrong }
    const exit = await Effect.runPromiseExit(run(given, { sink: () => {} }).pipe(Effect.provide(onNode)))
    const expected = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
    const error: unknown = await runPromise(given, { sink: () => {} }, onNode).catch((each: unknown) => each)
    expect(error).toBeInstanceOf(Error)
    expect(isTagged(error)).toBe(true)
    expect(error).toStrictEqual(expected)
    expect((error as Error).message).toBe((expected as Error).message)
  })
})

describe('plainServices', () => {
  it('plainServices waits for a promise of the jobs', async () => {
    const later: PlainServices['loadJobs'] = async (...given) => loadJobs(...given)
    expect(await logOf(least, plainServices({ ...plain, loadJobs: later }))).toBe(await logOf(least))
  })

  it.each<[string, Partial<GivenSpec>, string]>([
    ['a file', { outages: 'breaks.ndjson' }, 'outages: breaks.ndjson: the program gives the run no files'],
    ['a policy', { policy: 'ta' }, 'policy: found "ta", expected one of the policies that were given: jigsaw'],
  ])('a run names %s that plainServices lacks', async (_, wrong, message) => {
    await expect(runPromise({ ...least, ...wrong }, { sink: () => {} }, plainServices(plain))).rejects.toThrow(message)
  })

  it.each([
    ['with a tag', new FileError({ path: 'jobs.csv', reason: 'there is no such file' })],
    ['without a tag', new TypeError('fetch failed')],
  ])('a run fails with an error %s of loadJobs', async (_, error) => {
    const services = plainServices({ ...plain, loadJobs: () => Promise.reject(error) })
    await expect(runPromise(least, { sink: () => {} }, services)).rejects.toBe(error)
  })
})
