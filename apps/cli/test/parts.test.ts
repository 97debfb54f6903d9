import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { bundle } from './cloister.ts'

test('a part of the program is named by its content, so that a part tells all that it imports', () => {
  const others = readdirSync(dirname(bundle)).filter((name) => !/-[A-Z0-9]{8}\.js$/.test(name))
  expect(others.sort()).toEqual(['THIRD-PARTY-NOTICES.txt', 'cloister.js', 'start-worker.js', 'viewer.html'])
})

test('what every command loads is one file', () => {
  expect(readdirSync(dirname(bundle)).filter((name) => name.startsWith('start-imports-'))).toHaveLength(1)
})
