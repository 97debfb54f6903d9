/**
 * Makes the golden logs of the present version again, after a change of the format: `pnpm run golden`. Version 3 may
 * change until its release; after the release its golden logs stay unchanged.
 *
 * Before the command runs, put a change of the format into the function `changed`. The logs in `valid` are changed
 * record by record and sealed again. All other logs are made from `valid/two-jobs.ndjson`. The expected results beside
 * the logs are the results of the present program, so the difference in git has to be checked.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { zstdCompressSync } from 'node:zlib'
import { type Header, headerTopology, type JsonObject, type LogRecord } from '../src/index.ts'
import { openLogFile, readLogFile, sha256 } from '../src/node/index.ts'
import { OwnerArrays } from '../src/log/owners.ts'
import { encodeJson } from '../src/records/kinds.ts'
import { stateAfter } from './golden-state.ts'
import { drain } from './reading.ts'
import { isSeal, linesOf, sealed, textOf } from './sealed-lines.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
if (!version.startsWith('0.'))
  throw new Error(`version 3 of the format was released, so its golden logs stay unchanged; found release ${version}`)

/** Returns a record in the changed format. `changed` is the identity, unless the format is being changed. */
const changed = (record: JsonObject): JsonObject => record

const folder = (name: string): string => fileURLToPath(new URL(`golden/3/${name}`, import.meta.url))

/** Returns the lines of a log with the state digests of the present program in all seals. */
function withStates(lines: ReadonlyArray<string>): ReadonlyArray<string> {
  const [header, ...records] = lines.map((line) => JSON.parse(line) as LogRecord)
  const owners = new OwnerArrays(headerTopology(header as Header), header as Header, sha256)
  return lines.map((line, seq) => {
    const record = records[seq - 1]
    if (record === undefined) return line
    owners.follow(seq, record)
    return record.type === 'seal' ? line.replace(record.state, owners.digest()) : line
  })
}

/** Returns frames of zstd with checksums, one for the lines up to each seal. */
function framed(lines: ReadonlyArray<string>): Buffer {
  const frames: Array<string> = ['']
  for (const line of lines) {
    frames[frames.length - 1] += `${line}\n`
    if (isSeal(line)) frames.push('')
  }
  return Buffer.concat(frames.filter((frame) => frame !== '').map((frame) => compressed(frame)))
}

function compressed(text: string): Buffer {
  const bytes = Buffer.from(text)
  return zstdCompressSync(bytes, { pledgedSrcSize: bytes.length, params: { 201: 1 } })
}

/** Writes a log, with the result that the present program reads beside it. */
function write(name: string, bytes: Uint8Array | string): void {
  writeFileSync(folder(name), bytes)
  const { records, outcome } = drain(readLogFile(folder(name)))
  const { reason: _, ...told } = outcome as typeof outcome & { readonly reason?: string }
  const expected = {
    sha256: createHash('sha256').update(bytes).digest('hex'),
    outcome: told,
    state: stateAfter(records),
  }
  writeFileSync(`${folder(name)}.json`, `${JSON.stringify(expected, undefined, 2)}\n`)
}

const stored = readdirSync(folder('valid')).filter((name) => !name.endsWith('.json') && name !== 'one-frame.ndjson.zst')
for (const name of [...stored.map((each) => `valid/${each}`), 'warn/after-a-fault.ndjson']) {
  const isCompressed = name.endsWith('.zst')
  const before = linesOf(Buffer.concat([...openLogFile(folder(name))]).toString())
  const after = sealed(withStates(before.map((line) => encodeJson(changed(JSON.parse(line) as JsonObject)))))
  write(name, isCompressed ? framed(after) : textOf(after))
}

const lines = linesOf(readFileSync(folder('valid/two-jobs.ndjson'), 'utf8'))
const text = textOf(lines)
const frames = framed(lines)
const lastFrame = framed(lines.slice(-2))
const edited = (from: string, to: string): string => {
  if (!text.includes(from)) throw new Error(`valid/two-jobs.ndjson has no ${from}`)
  return text.replace(from, to)
}
const without = (line: number): string => textOf(lines.toSpliced(line, 1))
const faulty = linesOf(readFileSync(folder('warn/after-a-fault.ndjson'), 'utf8'))

write('valid/one-frame.ndjson.zst', compressed(text))
write('warn/no-end.ndjson', textOf(lines.slice(0, 9)))
write('warn/not-sealed.ndjson', textOf(lines.slice(0, 11)))
write('warn/nothing.ndjson', '')
write('warn/torn-line.ndjson', text.slice(0, text.lastIndexOf('{') + 61))
write('warn/torn-frame.ndjson.zst', frames.subarray(0, frames.length - lastFrame.length + 40))
write('invalid/after-the-end.ndjson', `${text}${lines[1]}\n`)
write('invalid/changed-bit.ndjson.zst', flipped(frames, frames.length - lastFrame.length - 60))
write('invalid/changed-digit.ndjson', edited('"t":60,"type":"finish"', '"t":61,"type":"finish"'))
write('invalid/impossible-machine.ndjson', edited('"m":[2,2,4]', '"m":[2,2,0]'))
write('invalid/job-log.ndjson', '; a job log\n1 0 0 60 4 -1 -1 4 60 -1 1 1 1 -1 -1 -1 -1 -1\n')
write('invalid/newer-version.ndjson', edited('"version":3', '"version":4'))
write(
  'invalid/no-seal-after-a-fault.ndjson',
  `${textOf(faulty.slice(0, -1))}{"seq":18,"t":63,"type":"cancel","job":"2"}\n`,
)
write('invalid/no-seal.ndjson', without(4))
write('invalid/not-canonical.ndjson', edited('{"seq":2,"t"', '{"seq":2, "t"'))
write(
  'invalid/not-json.ndjson',
  edited('{"seq":10,"t":61.5,"type":"finish","job":"2","cause":9}', '{"seq":10,"t":61.5,"'),
)
write('invalid/second-header.ndjson', textOf(lines.toSpliced(6, 1, lines[0])))
write(
  'invalid/unknown-feature.ndjson',
  textOf(sealed(linesOf(edited('"origin"', '"requires":["telepathy"],"origin"')))),
)
write('invalid/wrong-seq.ndjson', without(6))

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[at] ^= 1
  return copy
}
