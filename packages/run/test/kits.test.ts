import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { policyChecks, runChecks } from '@cloister/placement/checks'
import { baseline } from '@cloister/policy-baseline'
import { Effect } from 'effect'
import { afterAll, describe, expect, it } from 'vitest'
import { type AnyPolicy, run } from '../src/index.ts'
import { nodeServices, Program } from '../src/node/index.ts'

const kits = join(import.meta.dirname, '../../placement/kits')
const folder = mkdtempSync(join(tmpdir(), 'cloister-test-'))
const isInstalled = (program: string): boolean => spawnSync(program, ['--version']).status === 0
const programs: Array<Program> = []
afterAll(() => {
  for (const program of programs) program.end()
  rmSync(folder, { recursive: true })
})

/** Languages whose compiler or interpreter is installed; the tests of other languages are skipped. */
const languages: Readonly<Record<string, { readonly needs: string; readonly start: () => string }>> = {
  Python: { needs: 'python3', start: () => `python3 ${kits}/python/first_fit.py` },
  'C++': {
    needs: 'g++',
    start: () => {
      const { stderr, status } = spawnSync(
        'g++',
        [
          '-O1',
          '-std=c++17',
          '-Wall',
          '-Wextra',
          '-Werror',
          '-o',
          join(folder, 'first-fit'),
          `${kits}/cpp/first_fit.cpp`,
        ],
        { encoding: 'utf8' },
      )
      expect(stderr).toBe('')
      expect(status).toBe(0)
      return join(folder, 'first-fit')
    },
  },
}

async function logOf(policy: AnyPolicy): Promise<string> {
  const chunks: Array<Uint8Array> = []
  const spec = { trace: 'synth:8:150', topology: 'radix:8', policy: policy.name, queue: 'easy:50' }
  const sink = (chunk: Uint8Array): void => void chunks.push(chunk)
  await Effect.runPromise(run(spec, { sink }).pipe(Effect.provide(nodeServices({ policies: [policy] }))))
  return Buffer.concat(chunks)
    .toString()
    .replaceAll(/"policy":\{"name":"[^"]*"|"hash":"[^"]*"/g, '')
}

describe.each(Object.entries(languages))('first fit in %s', (_, { needs, start }) => {
  it.skipIf(!isInstalled(needs))('passes every check of the suite, and decides as Baseline', async () => {
    const program = new Program(start())
    programs.push(program)
    const failed = [...runChecks(policyChecks(program.policy, { histories: 1 }))].filter(
      ({ outcome }) => outcome !== 'ok' && outcome !== 'not-claimed',
    )
    expect(failed).toEqual([])
    expect(await logOf(program.policy)).toBe(await logOf(baseline))
  })
})
