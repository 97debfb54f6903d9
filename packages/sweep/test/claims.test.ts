import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { Claims } from '../src/claims.ts'
import { SweepFolder } from '../src/sweep-folder.ts'

it('one worker at a time has a cell, and a worker that did not renew its claim learns of the loss', async () => {
  const path = mkdtempSync(join(tmpdir(), 'cloister-claims-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  const folder = new SweepFolder(path)
  folder.make()
  const [first, second, third] = ['first', 'second', 'third'].map((name) => new Claims(folder, name, 0.2))
  expect(first.of('cell')).toBe(undefined)
  expect(first.claim('cell', 0)).toBe(1)
  expect(second.claim('cell', 0)).toBe(undefined)
  expect(first.holds('cell')).toBe(true)
  await vi.waitUntil(() => second.claim('cell', 0) === 2, { timeout: 60_000 })
  expect(second.of('cell')).toEqual({ attempt: 2, worker: 'second' })
  expect(first.holds('cell')).toBe(false)
  expect(second.holds('cell')).toBe(true)
  second.leave('cell')
  // The second worker has answered the second attempt by a failure.
  expect(third.claim('cell', 2)).toBe(3)
  expect(first.claim('cell', 2)).toBe(undefined)
})
