import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LogHeader, LogWriter } from '../src/index.ts'
import { createLogFile, type LogFile, ResumeError, resumeLogFile, sha256 } from '../src/node/index.ts'
import { anyHeader, anyRun, type Call, sampleHeader, topologies, writeLog } from './sample-logs.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cloister-resume-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function tell(file: LogFile, header: LogHeader, calls: ReadonlyArray<Call>, topology = topologies[0]): void {
  try {
    const writer = new LogWriter(header, topology, file.write, sha256)
    for (const call of calls) call(writer)
  } finally {
    file.close()
  }
}

const submits = [...Array(40).keys()].map(
  (i): Call =>
    (to) =>
      to.record({ type: 'submit', t: i, job: `job ${i}`, size: 1, estimate: 1000 * i }),
)
const calls: ReadonlyArray<Call> = [
  ...submits,
  (to) =>
    to.record({ type: 'end', t: 40, submitted: 40, started: 0, finished: 0, rejected: 0, killed: 0, cancelled: 0 }),
]

/** Returns a file with the log of `calls`, cut after `length` bytes. */
function cut(name: string, length = Infinity): { readonly path: string; readonly whole: Buffer } {
  const path = join(folder, name)
  tell(createLogFile(path, { force: true }), sampleHeader(), calls)
  const whole = readFileSync(path)
  writeFileSync(path, whole.subarray(0, length))
  return { path, whole }
}

function refusal(path: string, header: LogHeader, told: ReadonlyArray<Call>): string {
  const before = readFileSync(path)
  let message = ''
  try {
    tell(resumeLogFile(path), header, told)
  } catch (error) {
    if (!(error instanceof ResumeError)) throw error
    message = error.message
  }
  expect(readFileSync(path).equals(before)).toBe(true)
  return message
}

describe('resumeLogFile', () => {
  for (const name of ['run.ndjson', 'run.ndjson.zst']) {
    it(`resumeLogFile completes a log that was cut anywhere to the bytes of the whole log: ${name}`, () => {
      fc.assert(
        fc.property(
          anyHeader,
          anyRun,
          fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 3 }),
          (header, [topology, told], cuts) => {
            const path = join(folder, name)
            tell(createLogFile(path, { force: true }), header, told, topology)
            const whole = readFileSync(path)
            for (const share of cuts) {
              writeFileSync(path, whole.subarray(0, Math.round(share * whole.length)))
              tell(resumeLogFile(path), header, told, topology)
              expect(readFileSync(path).equals(whole)).toBe(true)
            }
          },
        ),
        { numRuns: 15 },
      )
    })

    it(`resumeLogFile completes a log that was cut at each byte to the bytes of the whole log: ${name}`, () => {
      const { path, whole } = cut(name)
      for (let length = 0; length <= whole.length; length += 29) {
        writeFileSync(path, whole.subarray(0, length))
        tell(resumeLogFile(path), sampleHeader(), calls)
        expect(readFileSync(path).equals(whole)).toBe(true)
      }
    })
  }

  it('resumeLogFile writes a log from the start if there is no file', () => {
    const path = join(folder, 'new.ndjson')
    const file = resumeLogFile(path)
    expect(file.found).toMatchObject({ status: 'torn', records: 0 })
    tell(file, sampleHeader(), calls)
    expect(readFileSync(path).equals(cut('old.ndjson').whole)).toBe(true)
  })

  it('resumeLogFile reports the outcome of the log before the continuation', () => {
    const { path, whole } = cut('found.ndjson')
    const status = () => {
      const file = resumeLogFile(path)
      file.close()
      return file.found.status
    }
    expect(status()).toBe('whole')
    writeFileSync(path, whole.subarray(0, -5))
    expect(status()).toBe('torn')
    writeFileSync(path, whole.subarray(0, whole.lastIndexOf('\n', -2) + 1))
    expect(status()).toBe('unsealed')
    expect(readFileSync(path).length).toBe(whole.lastIndexOf('\n', -2) + 1)
  })

  it('resumeLogFile keeps zstd frames of another program that end within lines', () => {
    const plain = Buffer.from(writeLog(sampleHeader(), topologies[0], calls))
    const path = join(folder, 'other.zst')
    const [first, second] = [plain.subarray(0, 1000), plain.subarray(1000, 1801)].map((bytes) =>
      zstdCompressSync(bytes),
    )
    writeFileSync(path, Buffer.concat([first, second, second.subarray(0, 9)]))
    tell(resumeLogFile(path), sampleHeader(), calls)
    const after = readFileSync(path)
    expect(after.subarray(0, first.length + second.length).equals(Buffer.concat([first, second]))).toBe(true)
    const again = resumeLogFile(path)
    expect(again.found).toMatchObject({ status: 'whole', bytes: plain.length })
    again.close()
  })

  it.each(['run.ndjson', 'run.ndjson.zst'])(
    'resumeLogFile refuses the log of another run, names the difference, and changes nothing: %s',
    (name) => {
      const { path } = cut(name, name.endsWith('zst') ? 900 : 2000)
      const { policy, options } = sampleHeader()
      expect(
        refusal(path, sampleHeader({ policy: { ...policy, name: 'other' }, options: { ...options, seed: 7 } }), calls),
      ).toBe(
        `cannot continue ${path}, which is unchanged: the file is the log of another run: record 0, at byte 0, differs: policy.name is "sample" there, "other" here; options.seed is absent there, 7 here`,
      )
      const other = [...calls]
      other[2] = (to) => to.record({ type: 'submit', t: 2, job: 'job 2', size: 3 })
      expect(refusal(path, sampleHeader(), other)).toMatch(
        /record 3, at byte \d+, differs: size is 1 there, 3 here; estimate is 2 there, absent here$/,
      )
      other[2] = (to) => to.record({ type: 'cancel', t: 2, job: 'job 1' })
      expect(refusal(path, sampleHeader(), other)).toMatch(
        /record 3, at byte \d+, differs: there \{"seq":3,"t":0\.002,"type":"submit","job":"job 2".*\}, here \{"seq":3,"t":0\.002,"type":"cancel","job":"job 1"\}$/,
      )
    },
  )

  it('resumeLogFile refuses a corrupt log, names the line and byte, and changes nothing', () => {
    const { path, whole } = cut('corrupt.ndjson', 2000)
    const damaged = whole.subarray(0, 2000)
    damaged[900] ^= 1
    writeFileSync(path, damaged)
    expect(refusal(path, sampleHeader(), calls)).toMatch(/which is unchanged: corrupt at byte \d+, line \d+: /)
    writeFileSync(path, 'my precious notes\n')
    expect(refusal(path, sampleHeader(), calls)).toContain('corrupt at byte 0, line 1: this is no Cloister log')
    expect(() => resumeLogFile('/dev/null')).toThrow('a pipe or device keeps no bytes')
  })
})
