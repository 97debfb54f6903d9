import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describedCommands } from '../src/reference.ts'
import { results } from '../src/results/results.ts'
import { print } from '../src/terminal/output.ts'
import { checkResult } from './result-check.ts'

const verified = { ok: true, log: 'run.ndjson', records: 9, signed: 9, problem: null }
const check = (value: unknown): void => checkResult(['verify', 'run.ndjson', '--json'], JSON.stringify(value))

describe('the schemas of results', () => {
  it('every command with --json has a schema, and each schema is of such a command or of errors', async () => {
    const commands = (await describedCommands()).filter(({ options }) =>
      options.some((group) => group.options.some(({ name }) => name === '--json')),
    )
    expect([...commands.map(({ command }) => command), 'error'].sort()).toEqual(Object.keys(results).sort())
  })

  it('no file of the program loads the schemas, which would slow every start, except `bench` with --append', () => {
    const src = join(import.meta.dirname, '../src')
    const files = globSync('**/*.ts', { cwd: src, exclude: ['results/**'] })
    const matching = (load: RegExp) => files.filter((file) => load.test(readFileSync(join(src, file), 'utf8')))
    expect(matching(/^(?:import|export) (?!type )[^']*'[./]+results\//m)).toEqual([])
    expect(matching(/import\('[./]+results\//)).toEqual([join('bench', 'speed-series.ts')])
  })
})

describe('the check of results in the tests of commands', () => {
  it('accepts a result, an error, and text that is not JSON', () => {
    check(verified)
    check({ error: 'no', kind: 'Problem', exitCode: 2 })
    checkResult(['verify', 'run.ndjson', '--json'], 'ok')
    checkResult(['verify', 'run.ndjson'], '{}')
  })

  it.each([
    ['a further field', { ...verified, more: 1 }, 'more'],
    ['a missing field', { ok: true, log: 'run.ndjson', records: 9, signed: 9 }, 'problem'],
    ['a wrong value', { ...verified, ok: 'yes' }, 'ok'],
    ['an error with a further field', { error: 'no', kind: 'Problem', exitCode: 2, hint: 'x' }, 'hint'],
  ])('finds %s', (_, value, field) => {
    expect(() => check(value)).toThrow(`["${field}"]`)
  })
})

it('the type checker finds wrong, missing and further fields of a result that a command prints', () => {
  const further = { ...verified, more: 1 }
  const deep = [{ ...further, policy: 'a', log: 'b', microsecondsPerJob: 1, auditOk: true }]
  // The function is not called: only the type checker reads its lines.
  const _typesOnly = (): unknown => [
    print('verify', true, verified, String),
    // @ts-expect-error -- a further field
    print('verify', true, further, String),
    // @ts-expect-error -- a missing field
    print('verify', true, { ok: true }, String),
    // @ts-expect-error -- another result
    print('verify', true, deep, String),
    // @ts-expect-error -- a further field in a list of results
    print('policy list', true, { builtin: [], installed: [{ ...installed, more: 1 }] }, String),
    print('policy list', true, { builtin: [], installed: [installed] }, String),
  ]
  expect(_typesOnly).toBeTypeOf('function')
})

const installed = { name: 'mine', version: '1.0.0', description: '', package: 'cloister-policy-mine' }
