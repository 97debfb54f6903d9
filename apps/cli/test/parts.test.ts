import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { bundle } from './cloister.ts'

test('the name of each part of the program follows from its content, so that a part tells all of its imports', () => {
  const others = readdirSync(dirname(bundle)).filter((name) => !/-[A-Z0-9]{8}\.js$/.test(name))
  expect(others.sort()).toEqual(['THIRD-PARTY-NOTICES.txt', 'cloister.js', 'start-worker.js', 'viewer.html'])
})

test('the code that every command loads is one file', () => {
  expect(readdirSync(dirname(bundle)).filter((name) => name.startsWith('start-imports-'))).toHaveLength(1)
})
