import { auditLog } from '@cloister/audit'
import { sha256 } from '@cloister/eventlog/node'
import { jigsaw } from '@cloister/policy-jigsaw'
import { Effect, Exit } from 'effect'
import { describe, expect, it } from 'vitest'
import { type GivenSpec, run } from '../src/index.ts'
import { nodeServices } from '../src/node/index.ts'
import { inMemory } from './memory.ts'

const least: GivenSpec = { trace: 'synth:4:60', topology: 'radix:6', policy: 'jigsaw', queue: 'easy:9' }

async function logOf(given: GivenSpec, services = inMemory()): Promise<Buffer> {
  const chunks: Array<Uint8Array> = []
  await Effect.runPromise(run(given, { sink: (chunk) => chunks.push(chunk) }).pipe(Effect.provide(services)))
  return Buffer.concat(chunks)
}

describe('a run', () => {
  it('a run gives equal bytes in Node and in memory, and passes the audit', async () => {
    const log = await logOf(least)
    expect(log.equals(await logOf(least, nodeServices({ policies: [jigsaw] })))).toBe(true)
    expect(auditLog([log], sha256)).toMatchObject({ ok: true })
  })

  it('a run follows the options for outages, requeueing and the router', async () => {
    const outages = { 'breaks.ndjson': '{"t":60,"type":"down","nodes":"0-5"}\n{"t":900,"type":"up","nodes":"0-5"}\n' }
    const log = await logOf(
      { ...least, outages: 'breaks.ndjson', requeue: true, router: 'partition' },
      inMemory(outages),
    )
    for (const type of ['down', 'up', 'route']) expect(log.toString()).toContain(`"type":"${type}"`)
    expect(auditLog([log], sha256)).toMatchObject({ ok: true })
  })

  it.each([
    [{ policy: 'jigsow' }, 'OptionError', 'policy'],
    [{ trace: 'synth:0' }, 'OptionError', 'trace'],
    [{ topology: 'kary:2:4', policy: 'baseline', router: 'partition' as const }, 'OptionError', 'router'],
    [{ runTimes: 'communication' as const }, 'OptionError', 'runTimes'],
    [{ communication: 'file:ring' }, 'OptionError', 'communication'],
    [{ filter: 'nodes>100' }, 'OptionError', 'filter'],
    [{ outages: 'none.ndjson' }, 'OptionError', 'outages'],
    [{ config: { order: 'best' } }, 'PolicyError', undefined],
  ])('a run with the impossible option %j fails with an OptionError or a PolicyError', async (given, tag, option) => {
    const exit = await Effect.runPromiseExit(
      run({ ...least, ...given }, { sink: () => {} }).pipe(Effect.flip, Effect.provide(inMemory())),
    )
    expect(Exit.isSuccess(exit) && exit.value).toMatchObject({ _tag: tag, ...(option && { option }) })
  })
})
