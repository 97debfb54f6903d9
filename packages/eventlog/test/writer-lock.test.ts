import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  linkSync,
  mkdtempSync,
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

  it('the lock of a log can be taken over only if the process in the lock file is dead', () => {
    const path = join(folder, 'stale.ndjson')
    const lock = `${path}.lock`
    const attempt = (owner: unknown): string => {
      writeFileSync(lock, typeof owner === 'string' ? owner : JSON.stringify(owner))
      try {
        createLogFile(path, { force: true }).close()
        return 'taken over'
      } catch (error) {
        rmSync(lock)
        return (error as Error).message
      } finally {
        expect(existsSync(`${lock}.takeover`)).toBe(false)
      }
    }
    const host = hostname()
    expect(attempt({ host, pid: deadPid() })).toBe('taken over')
    expect(attempt({ host, pid: process.ppid })).toContain(`process ${process.ppid} writes the file`)
    expect(attempt({ host: 'elsewhere', pid: deadPid() })).toContain('on elsewhere writes the file')
    for (const text of ['', 'x', 'null', '{"host":1,"pid":2}', `{"host":"${host}","pid":-1}`])
      expect(attempt(text)).toContain('another process writes the file')
    // The pid in the lock file belongs to a later process than the dead process.
    if (existsSync('/proc/self/stat'))
      expect(attempt({ host, pid: process.pid, started: 'some boot:1' })).toBe('taken over')
  })

  it('the lock of a dead process can be taken over by only one process at a time', () => {
    const path = join(folder, 'guarded.ndjson')
    writeFileSync(`${path}.lock`, JSON.stringify({ host: hostname(), pid: deadPid() }))
    writeFileSync(`${path}.lock.takeover`, '')
    expect(() => createLogFile(path)).toThrow(
      `another process is about to write the file; if no process is, delete ${path}.lock.takeover`,
    )
    rmSync(`${path}.lock.takeover`)
    createLogFile(path).close()
  })

  it("a process that waits for a takeover of a log's lock is told the holder of the lock", async () => {
    const path = join(folder, 'contended.ndjson')
    const guard = `${path}.lock.takeover`
    /** Opens the log during a takeover by another process, which ends soon. */
    const attempt = async (pid: number): Promise<string> => {
      writeFileSync(`${path}.lock`, JSON.stringify({ host: hostname(), pid }))
      writeFileSync(guard, '')
      const other = spawn(process.execPath, ['-e', 'setTimeout(() => fs.rmSync(process.argv[1]), 100)', guard])
      const ended = once(other, 'close')
      try {
        createLogFile(path, { force: true }).close()
        return 'taken over'
      } catch (error) {
        return (error as Error).message
      } finally {
        await ended
      }
    }
    expect(await attempt(process.ppid)).toContain(`process ${process.ppid} writes the file`)
    expect(await attempt(deadPid())).toBe('taken over')
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
