import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { FileLease, isGone, ownProcess, runSync, syncCalls } from '../src/index.ts'

describe('a lock in files of a real folder', () => {
  it.each([
    ['with hard links', syncCalls],
    ['without hard links', { ...syncCalls, link: () => refuse('EPERM') }],
  ])('a lock on a file system %s has one holder, and leaves no file', (_, calls) => {
    const parent = mkdtempSync(join(tmpdir(), 'cloister-lock-'))
    onTestFinished(() => rmSync(parent, { recursive: true }))
    const folder = join(parent, 'lock')
    const [first, second] = [1, 2].map(
      () => new FileLease({ folder, seconds: Infinity, clock: () => performance.now() / 1000, calls }),
    )
    expect(runSync(first.take())).toEqual({ isTaken: true })
    expect(runSync(second.take())).toEqual({ isTaken: false, by: ownProcess() })
    expect(readdirSync(folder)).toHaveLength(1)
    runSync(first.release())
    expect(existsSync(folder)).toBe(false)
    expect(runSync(second.take())).toEqual({ isTaken: true })
  })
})

describe('isGone', () => {
  it('only an ended process of this host and this namespace is gone', () => {
    const own = ownProcess()
    expect(isGone(own)).toBe(false)
    const pid = Number(execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }))
    const ended = { ...own, pid }
    expect(isGone(ended)).toBe(true)
    expect(isGone({ ...ended, host: 'elsewhere' })).toBe(false)
    expect(isGone({ ...ended, space: 'pid:[1]' })).toBe(false)
  })

  it.runIf(existsSync('/proc/self/stat'))('a process with the pid of an ended process is not the ended process', () => {
    const { title } = process
    onTestFinished(() => void (process.title = title))
    process.title = 'a) b'
    const [, ticks] = /.*\) (?:\S+ ){19}(\d+)/s.exec(readFileSync('/proc/self/stat', 'latin1'))!
    const own = ownProcess()
    expect(own).toMatchObject({ space: expect.stringMatching(/^pid:/), started: expect.stringMatching(`:${ticks}$`) })
    expect(isGone({ ...own, started: `${own.started}0` })).toBe(true)
  })
})

function refuse(code: string): never {
  throw Object.assign(new Error(code), { code })
}
