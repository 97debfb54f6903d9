import assert from 'node:assert'
import { auditLog } from '@cloister/audit'
import { sha256 } from '@cloister/eventlog/node'
import { dModKRouter, schedulingAwareRouter } from '@cloister/routers'
import type { ForwardingTables, Router } from '@cloister/placement'
import { jigsaw } from '@cloister/policy-jigsaw'
import type { Topology } from '@cloister/topology'
import { Effect, Exit, Layer } from 'effect'
import { describe, expect, it } from 'vitest'
import { type GivenSpec, OtherRouters, prepare, record, run } from '../src/index.ts'
import { nodeServices } from '../src/node/index.ts'
import { inMemory } from './memory.ts'

const least: GivenSpec = { trace: 'synth:4:60', topology: 'radix:6', policy: 'jigsaw', queue: 'easy:9' }

const inMemoryWith = (router: Router) =>
  Layer.merge(
    inMemory(),
    Layer.succeed(OtherRouters, () => Effect.succeed({ router, origin: 'memory' })),
  )

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

  it('a run with a router of the service OtherRouters writes the log of the router', async () => {
    const [log, builtin] = await Promise.all(
      ['mine', 'd-mod-k'].map((router) => logOf({ ...least, router }, inMemoryWith({ ...dModKRouter, name: 'mine' }))),
    )
    const withoutName = (text: Buffer): string =>
      text.toString().replaceAll(/"name":"(mine|d-mod-k)"|"hash":"[^"]*"/g, '')
    expect(withoutName(log)).toBe(withoutName(builtin))
    expect(log.toString()).toContain('"router":{"name":"mine","version":"1.0.0"')
  })

  it('a run makes the tables of its router once, and each further simulation of the run makes new tables', async () => {
    let made = 0
    const make = (topology: Topology) => {
      made++
      return schedulingAwareRouter.make(topology)
    }
    const services = inMemoryWith({ ...schedulingAwareRouter, name: 'mine', make })
    const given = { ...least, policy: 'baseline', router: 'mine' }
    const prepared = await Effect.runPromise(prepare(given).pipe(Effect.provide(services)))
    const logs = [1, 2, 3].map((times) => {
      const chunks: Array<Uint8Array> = []
      record(prepared, (chunk) => chunks.push(chunk))
      expect(made).toBe(times)
      return Buffer.concat(chunks).toString()
    })
    expect(logs[0]).toContain('"type":"route"')
    expect(new Set(logs).size).toBe(1)
  })

  it.each<[string, Partial<ForwardingTables>, string]>([
    ['throws', { start: () => assert.fail('oh') }, 'router mine (memory) failed in start of job 1: oh'],
    [
      'names no port',
      { start: () => [{ level: 0, sw: 0, nodes: [3], ports: [99] }] },
      'router mine (memory) failed in start of job 1: switch 0 of level 0: found port 99 towards node 3, expected -1 to 5: the switch has 6 ports',
    ],
    [
      'has no port',
      { port: undefined! },
      'router mine (memory) failed in make: make returned tables whose port is undefined',
    ],
  ])('a run fails with a RouterFailedError if the router %s', async (_, wrong, message) => {
    const make = (topology: Topology): ForwardingTables => {
      const tables = dModKRouter.make(topology) as ForwardingTables
      return {
        port: (...given) => tables.port(...given),
        initial: () => tables.initial!(),
        start: (...given) => tables.start(...given),
        end: (job) => tables.end(job),
        ...wrong,
      }
    }
    const services = inMemoryWith({ ...dModKRouter, name: 'mine', claims: { links: 'shared', changes: 'any' }, make })
    const exit = await Effect.runPromiseExit(
      run({ ...least, router: 'mine' }, { sink: () => {} }).pipe(Effect.flip, Effect.provide(services)),
    )
    expect(Exit.isSuccess(exit) && exit.value).toMatchObject({ _tag: 'RouterFailedError' })
    expect(Exit.isSuccess(exit) && exit.value.message).toContain(message)
  })

  it.each([
    [{ policy: 'jigsow' }, 'OptionError', 'policy'],
    [{ trace: 'synth:0' }, 'OptionError', 'trace'],
    [{ topology: 'kary:2:4', policy: 'baseline', router: 'partition' }, 'OptionError', 'router'],
    [{ router: 'minhop' }, 'OptionError', 'router'],
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
