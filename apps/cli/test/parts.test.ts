import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
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
