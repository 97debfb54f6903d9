import { existsSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { FileError } from '../src/index.ts'
import { readText } from '../src/node/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'cloister-text-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('readText', () => {
  it('readText reads a whole file', () => {
    for (const length of [0, 1, 65_535, 65_536, 65_537, 300_000]) {
      const path = join(folder, 'text')
      writeFileSync(path, 'ä'.repeat(length))
      expect(readText(path)).toBe('ä'.repeat(length))
    }
    if (existsSync('/proc/self/status')) expect(readText('/proc/self/status')).toContain('Name:')
  })

  it('readText refuses an endless, a missing and a too long file', () => {
    const sparse = join(folder, 'sparse')
    writeFileSync(sparse, '')
    truncateSync(sparse, 2 ** 33)
    for (const path of ['/dev/zero', sparse])
      expect(() => readText(path)).toThrow(`${path}: is longer than 67108864 bytes`)
    for (const path of [join(folder, 'none'), folder]) expect(() => readText(path)).toThrow(FileError)
  })
  it('readText names UTF-16 as the encoding of a file in UTF-16', () => {
    const path = join(folder, 'wide')
    writeFileSync(path, '\ufeff{"cells":[]}', 'utf16le')
    expect(() => readText(path)).toThrow(`${path}: found text in UTF-16, expected text in UTF-8 (iconv`)
  })
})
