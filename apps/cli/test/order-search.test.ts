import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { orders } from '@cloister/orders'
import { describe, expect, it } from 'vitest'
import { type Answer, bundle, Folder } from './cloister.ts'

const example = resolve(import.meta.dirname, '../../../examples/order-search')
const weighted = join(example, 'weighted.mjs')
const hasPython = spawnSync('python3', ['-c', 'import resource']).status === 0
const machine = ['--topology', 'pgft:1;8;1;1']

/** Trace of 60 jobs over three weeks, about as many as 8 nodes can run. */
const trace = Array.from({ length: 60 }, (_, at) => {
  const [submit, size, length] = [
    at * 30_000 + ((at * 7919) % 20_000),
    1 + ((at * 5) % 8),
    60 + ((at * 13_577) % 90_000),
  ]
  return [at + 1, submit, -1, length, size, -1, -1, size, length, -1, 1, 1, 1, 1, 1, 1, -1, -1].join(' ')
}).join('\n')

function search(folder: Folder, program: string, ...options: ReadonlyArray<string>): Answer {
  folder.write('trace.swf', trace)
  const args = ['--cloister', `${process.execPath} ${program}`, '--trace', 'trace.swf', '--out', 'found', ...machine]
  const done = spawnSync('python3', [join(example, 'search.py'), ...args, ...options], {
    cwd: folder.path,
    encoding: 'utf8',
  })
  return { code: done.status, stdout: done.stdout, stderr: done.stderr }
}

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Built-in orders of the example. Resampled weeks have no recorded starts. */
const rivals = [...orders.keys()].filter((name) => name !== 'recorded')

describe.skipIf(!hasPython)('the example order-search', () => {
  it('prints means and intervals of the stored results, and the weights with the least mean in training', () => {
    const folder = new Folder()
    const { code, stdout, stderr } = search(folder, bundle, '--generations', '2', '--train', '1', '--held-out', '3')
    expect([code, stderr]).toEqual([0, ''])
    const results = readFileSync(join(folder.path, 'found/results.ndjson'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(results.every(({ audit }) => audit.ok && audit.untestedClaims.length === 0)).toBe(true)
    /** Bounded slowdowns on the held-out replicates, by order. */
    const heldOut = Map.groupBy(
      results.filter(({ cell }) => cell.resample.startsWith('weeks:100')),
      ({ cell }) => (cell.orderConfig === undefined ? (cell.order ?? 'submit') : 'the best weights'),
    )
    const values = new Map(
      [...heldOut].map(([order, of]) => [order, of.map(({ metrics }) => metrics.slowdown.bounded)]),
    )
    expect(new Set(values.keys())).toEqual(new Set([...rivals, 'the best weights']))
    const [rival] = rivals.toSorted((one, other) => mean(values.get(one)!) - mean(values.get(other)!))
    for (const [order, own] of values) {
      const differences = own.map((value, at) => value - values.get(rival)![at])
      const spread = differences.map((difference) => (difference - mean(differences)) ** 2)
      const half = (4.303 * Math.sqrt(mean(spread) * 1.5)) / Math.sqrt(3)
      const [low, high] = [mean(differences) - half, mean(differences) + half]
      const [, printed, ...interval] = new RegExp(`^${order} +([\\d.]+)(?: +\\S+  \\((\\S+) to (\\S+)\\))?`, 'm').exec(
        stdout,
      )!
      expect(Number(printed)).toBeCloseTo(mean(own), 1)
      if (order === rival) expect(interval).toEqual([undefined, undefined])
      else [low, high].forEach((bound, at) => expect(Number(interval[at])).toBeCloseTo(bound, 1))
    }
    const training = results.filter(({ cell }) => cell.resample === 'weeks:1')
    expect(stdout).toContain(`\n${training.length} candidates in 2 generations`)
    const least = Math.min(...training.map(({ metrics }) => metrics.slowdown.bounded))
    const best = JSON.parse(/--order-config '(.*)'/.exec(stdout)![1])
    const ofBest = training.find(({ cell }) => isDeepStrictEqual(cell.orderConfig, best))
    expect(ofBest.metrics.slowdown.bounded).toBe(least)
  })

  it('stops with the message of the auditor if a run violates an invariant', () => {
    const folder = new Folder()
    const program = folder.write(
      'faulty.mjs',
      `import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
const args = process.argv.slice(2)
spawnSync(process.execPath, [${JSON.stringify(bundle)}, ...args])
const results = args[args.indexOf('--out') + 1]
writeFileSync(results, readFileSync(results, 'utf8').replace('"ok":true', '"ok":false'))`,
    )
    const { code, stderr } = search(folder, program, '--train', '1')
    expect(code).toBe(1)
    expect(stderr).toMatch(/^the audit of .* found violations or untested claims: .*'ok': False/)
  })
})

describe('the order weighted of the example order-search', () => {
  it('keeps the contract of orders', async () => {
    const { code, stdout } = await new Folder().cloister('order', 'test', weighted)
    expect(stdout).toContain('The order keeps the contract and its claims.')
    expect(code).toBe(0)
  })

  it.each([
    ['submit', { wait: -1 }],
    ['submit', { logWait: -1 }],
    ['shortest', { estimate: 1 }],
    ['shortest', { logEstimate: 1 }],
    ['smallest', { size: 1 }],
    ['largest', { logSize: -1 }],
  ])(
    'makes the schedule of the built-in order %s with the weights %o, and another one with opposite weights',
    async (order, weights) => {
      const folder = new Folder()
      const args = ['--trace', folder.write('trace.swf', trace), '--policy', 'baseline', ...machine]
      const slowdownOf = async (name: string, config: object): Promise<unknown> => {
        const ofOrder = ['--order', name, '--order-config', JSON.stringify(config)]
        await folder.cloister('simulate', ...args, ...ofOrder, '--out', 'run.ndjson', '--force')
        return JSON.parse((await folder.cloister('metrics', 'run.ndjson', '--json')).stdout).slowdown
      }
      const expected = await slowdownOf(order, {})
      expect(await slowdownOf(weighted, weights)).toEqual(expected)
      const opposite = Object.fromEntries(Object.entries(weights).map(([name, weight]) => [name, -weight]))
      expect(await slowdownOf(weighted, opposite)).not.toEqual(expected)
    },
  )
})
