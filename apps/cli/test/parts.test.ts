import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { bundle } from './cloister.ts'

test('each part of the program has a name that follows from the content, including all imports', () => {
  const others = readdirSync(dirname(bundle)).filter((name) => !/-[A-Z0-9]{8}\.js$/.test(name))
  expect(others.sort()).toEqual(['THIRD-PARTY-NOTICES.txt', 'cloister.js', 'start-worker.js', 'viewer.html'])
})

test('the code that every command loads is one file', () => {
  expect(readdirSync(dirname(bundle)).filter((name) => name.startsWith('start-imports-'))).toHaveLength(1)
})
