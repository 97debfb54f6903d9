import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ResultsFile } from '../src/sweep/results-file.ts'
import { timesPath } from '../src/sweep/times-file.ts'
import { Folder } from './cloister.ts'

it('leaves no file open where the one of times cannot be written', () => {
  const path = join(new Folder().path, 'results.ndjson')
  mkdirSync(timesPath(path))
  const open = () => readdirSync('/dev/fd').length
  const before = open()
  expect(() => new ResultsFile(path, { anew: false })).toThrow('EISDIR')
  expect(open()).toBe(before)
})
