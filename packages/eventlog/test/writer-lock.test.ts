import { spawnSync } from 'node:child_process'
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLogFile, type LogFileError, resumeLogFile } from '../src/node/index.ts'
import { tinyLog } from './tiny-log.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cloister-lock-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const bytes = tinyLog()

/** Returns the pid of a process that has ended. */
function deadPid(): number {
  return spawnSync(process.execPath, ['-e', '']).pid
}

describe('a log being written', () => {
  it('a log file cannot be opened by a second writer until the first writer closes it', () => {
    const path = join(folder, 'run.ndjson')
    const alias = join(folder, 'alias.ndjson')
    symlinkSync(path, alias)
    const first = createLogFile(path)
    for (const name of [path, alias]) {
      for (const open of [
        () => createLogFile(name),
        () => createLogFile(name, { force: true }),
        () => resumeLogFile(name),
      ]) {
        expect(open).toThrow(expect.objectContaining({ reason: 'locked' }))
        expect(open).toThrow(`process ${process.pid} writes the file; if no process does, delete ${path}.lock`)
      }
    }
    first.write(bytes)
    first.close()
    expect(existsSync(`${path}.lock`)).toBe(false)
    expect(new Uint8Array(readFileSync(path))).toEqual(bytes)
    resumeLogFile(path).close()
    expect(existsSync(`${path}.lock`)).toBe(false)
  })

  it('a log file with several hard links is not opened for writing', () => {
    const path = join(folder, 'one.ndjson')
    writeFileSync(path, bytes)
    linkSync(path, join(folder, 'two.ndjson'))
    for (const open of [() => createLogFile(path, { force: true }), () => resumeLogFile(path)]) {
      expect(open).toThrow(expect.objectContaining({ reason: 'locked' }))
      expect(open).toThrow(
        'the file has 2 names (hard links), and another process could write it under another name; write to a copy of the file',
      )
    }
    expect(new Uint8Array(readFileSync(path))).toEqual(bytes)
    expect(existsSync(`${path}.lock`)).toBe(false)
    rmSync(join(folder, 'two.ndjson'))
    resumeLogFile(path).close()
  })

  it('a log file that cannot be opened leaves no lock file behind', () => {
    const path = join(folder, 'there.ndjson')
    writeFileSync(path, 'x')
    expect(() => createLogFile(path)).toThrow('the file exists')
    expect(() => resumeLogFile(path)).toThrow('no Cloister log')
    expect(existsSync(`${path}.lock`)).toBe(false)
  })

  it('the lock of a log can be taken over only if the process in the lock is dead', () => {
    const path = join(folder, 'stale.ndjson')
    const lock = `${path}.lock`
    const attempt = (owner: unknown): string => {
      mkdirSync(lock)
      writeFileSync(join(lock, '1'), typeof owner === 'string' ? owner : JSON.stringify(owner))
      try {
        createLogFile(path, { force: true }).close()
        expect(existsSync(lock)).toBe(false)
        return 'taken over'
      } catch (error) {
        expect(readdirSync(lock)).toEqual(['1'])
        rmSync(lock, { recursive: true })
        return (error as Error).message
      }
    }
    const host = hostname()
    expect(attempt({ host, pid: deadPid() })).toBe('taken over')
    expect(attempt({ host, pid: process.ppid })).toContain(
      `process ${process.ppid} writes the file; if no process does, delete ${lock}`,
    )
    expect(attempt({ host: 'elsewhere', pid: deadPid() })).toContain('on elsewhere writes the file')
    expect(attempt({ host, pid: deadPid(), space: 'a container' })).toContain('writes the file')
    for (const text of ['', 'x', 'null', '{"host":1,"pid":2}', `{"host":"${host}","pid":-1}`])
      expect(attempt(text)).toContain('another process writes the file')
    // The pid in the lock belongs to a later process than the dead process.
    if (existsSync('/proc/self/stat'))
      expect(attempt({ host, pid: process.pid, started: 'some boot:1' })).toBe('taken over')
  })

  it('a process that is outrun at the takeover of a lock is told the new holder of the lock', () => {
    const path = join(folder, 'contended.ndjson')
    const holder = (number: number, pid: number): void =>
      writeFileSync(join(`${path}.lock`, String(number)), JSON.stringify({ host: hostname(), pid }))
    mkdirSync(`${path}.lock`)
    holder(1, deadPid())
    holder(2, process.ppid)
    expect(() => createLogFile(path)).toThrow(`process ${process.ppid} writes the file`)
    expect(readdirSync(`${path}.lock`)).toEqual(['1', '2'])
    holder(2, deadPid())
    createLogFile(path).close()
    expect(existsSync(`${path}.lock`)).toBe(false)
  })

  it('closing a log file gives an error if another program deleted, replaced or changed the file', () => {
    const path = join(folder, 'gone.ndjson')
    const ending = (meanwhile: () => void): string => {
      const file = createLogFile(path, { force: true })
      file.write(bytes)
      meanwhile()
      try {
        file.close()
        return 'nothing'
      } catch (error) {
        const { reason, message } = error as LogFileError
        return `${reason}: ${message}`
      } finally {
        expect(existsSync(`${path}.lock`)).toBe(false)
      }
    }
    expect(ending(() => undefined)).toBe('nothing')
    expect(ending(() => rmSync(path))).toMatch(
      /^replaced: .* the file was deleted or replaced while it was being written/,
    )
    expect(ending(() => renameSync(path, `${path}.old`))).toMatch(/^replaced: .* the file was deleted or replaced/)
    expect(ending(() => writeFileSync(path, 'short'))).toMatch(
      /^changed: .* another program changed the file while it was being written/,
    )
    expect(ending(() => truncateSync(path, 0))).toMatch(/^changed: .* another program changed the file/)
  })

  it('closing a log file gives an error if another program emptied the file during the writing', () => {
    const path = join(folder, 'emptied.ndjson')
    const half = Math.floor(bytes.length / 2)
    for (const sync of ['end', 'seal'] as const) {
      const file = createLogFile(path, { force: true, sync })
      file.write(bytes.subarray(0, half))
      truncateSync(path, 0)
      const rest = (): void => {
        file.write(bytes.subarray(half))
        file.close()
      }
      expect(rest).toThrow('another program changed the file while it was being written')
      // Every byte in the file was written by a writer: a gap would hold NULs.
      expect(readFileSync(path).includes(0)).toBe(false)
      if (sync === 'seal') expect(readFileSync(path).length).toBe(0)
      try {
        file.close()
      } catch {
        // The file was closed with an error before.
      }
    }
  })
})
