import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { bundle } from './cloister.ts'

test('each part of the built program has a name with a hash of its content and its imports', () => {
  const others = readdirSync(dirname(bundle)).filter((name) => !/-[A-Z0-9]{8}\.js$/.test(name))
  expect(others.sort()).toEqual([
    'THIRD-PARTY-NOTICES.txt',
    'cloister.js',
    'start-worker.js',
    'stored-outputs.txt',
    'viewer.html',
  ])
})

test('the code that every command loads is in one file of the built program', () => {
  expect(readdirSync(dirname(bundle)).filter((name) => name.startsWith('start-imports-'))).toHaveLength(1)
})

/** Returns the code that a command loads before its first dynamic import. */
function codeOf(command: string): string {
  const folder = dirname(bundle)
  const loaded = new Map<string, string>()
  const load = (part: string): void => {
    if (loaded.has(part)) return
    const code = readFileSync(join(folder, part), 'utf8')
    loaded.set(part, code)
    for (const [, imported] of code.matchAll(/^import .*"\.\/([^"]+)";$/gm)) load(imported)
  }
  load(readdirSync(folder).find((name) => new RegExp(`^${command}-[A-Z0-9]{8}\\.js$`).test(name))!)
  return [...loaded.values()].join('\n')
}

test.each(['metrics', 'audit', 'state'])('%s loads the scheduler only for options that ask policies', (command) => {
  expect(codeOf('simulate')).toContain('// ../../packages/kernel/src/scheduler.ts')
  expect(codeOf(command)).toContain('// ../../packages/eventlog/src/')
  expect(codeOf(command)).not.toContain('// ../../packages/kernel/src/scheduler.ts')
})
