import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Header, LogRecord } from '@cloister/eventlog'
import { readLogFile } from '@cloister/eventlog/node'
import { expect, test } from 'vitest'
import { resealed } from '@cloister/fuzz'
import { complaint, Folder } from './cloister.ts'

/** Returns the text of a matrix in which each rank sends most to the rank that is half of the ranks further. */
function matrix(ranks: number): string {
  const line = (a: number): string =>
    Array.from({ length: ranks }, (_, b) => (Math.abs(a - b) === ranks / 2 ? 9_000_000 : 0)).join(' ')
  return `${Array.from({ length: ranks }, (_, a) => line(a)).join('\n')}\n`
}

const run = [
  '--trace',
  'synth:6:80:3',
  '--topology',
  'pgft:2;4,8;1,2;1,1',
  '--policy',
  'combal',
  '--communication',
  '80%:ring:50%',
  '--matrices',
  'six.txt,four.txt,forty.txt',
]
const sumOf = (text: string): string => createHash('sha256').update(text).digest('hex')

function folderOf(): Folder {
  const folder = new Folder()
  for (const [name, ranks] of [
    ['four', 4],
    ['six', 6],
    ['forty', 40],
  ] as const)
    folder.write(`${name}.txt`, matrix(ranks))
  return folder
}

test('simulate --matrices prints how many jobs have a matrix; rerun, explain and audit need the files again', async () => {
  const folder = folderOf()
  const said = await folder.cloister('simulate', ...run, '--out', 'run.ndjson')
  expect(said).toMatchObject({ code: 0 })
  expect(said.stdout).toMatch(/^communication +80%:ring:50%; matrices four [0-9a-f]{8}…, six [0-9a-f]{8}…$/m)
  expect(said.stderr).toMatch(
    /^(\d+) of \d+ communicating jobs have a matrix; forty \(40 ranks\): none, four \(4 ranks\): \d+, six \(6 ranks\): \d+$/m,
  )
  const starts = Number(/^(\d+) of/m.exec(said.stderr)![1])
  expect(starts).toBeGreaterThan(5)
  const [header, ...records] = readFileSync(join(folder.path, 'run.ndjson'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(header.workload.matrices).toEqual(
    ['four', 'six'].map((name) => ({ name, sha256: sumOf(matrix(name === 'four' ? 4 : 6)) })),
  )
  expect(records.filter(({ ranks }) => ranks !== undefined).length).toBeGreaterThan(0)

  const files = ['--matrices', 'four.txt,six.txt']
  expect(await folder.json('rerun', 'run.ndjson', ...files)).toMatchObject({ equal: true })
  expect((await folder.cloister('explain', 'run.ndjson', '--job', '7', ...files)).code).toBe(0)
  const audited = (await folder.json('audit', 'run.ndjson', '--rerun', ...files)) as {
    communication: { starts: number; hopBytes: number; effectiveHopBytes: number }
  }
  expect(audited).toMatchObject({ ok: true, checked: { 'matrix-ranks': starts }, communication: { starts } })
  expect(audited.communication.hopBytes).toBeGreaterThan(0)
  expect(audited.communication.effectiveHopBytes).toBeGreaterThan(audited.communication.hopBytes)
  expect((await folder.cloister('audit', 'run.ndjson', ...files)).stdout).toMatch(/starts, .* effective hop-bytes/)
  // Without the matrix files, the audit of the log passes, because the log has only checksums of the matrices.
  expect(await folder.json('audit', 'run.ndjson')).toMatchObject({
    ok: true,
    notApplicable: { 'matrix-ranks': expect.any(String) as string },
  })

  const asked = await folder.cloister('rerun', 'run.ndjson', '--policy', 'slurm-tree', ...files)
  expect(asked).toMatchObject({ code: 0, stderr: '' })
})

test('a command that needs matrix files names missing files and files that are not of the log', async () => {
  const folder = folderOf()
  expect((await folder.cloister('simulate', ...run, '--out', 'run.ndjson')).code).toBe(0)
  const [four, six] = [4, 6].map((ranks) => sumOf(matrix(ranks)))
  for (const command of [['rerun'], ['explain', '--job', '7'], ['audit', '--rerun']]) {
    const [name, ...rest] = command
    expect(complaint(await folder.cloister(name, 'run.ndjson', ...rest))).toContain(
      `--matrices: is missing; expected the files of the communication matrices in the log's header: four (SHA-256 ${four}), six (SHA-256 ${six})`,
    )
  }
  folder.write('changed.txt', matrix(6).replace('9000000', '9000001'))
  for (const command of ['rerun', 'audit']) {
    const said = complaint(await folder.cloister(command, 'run.ndjson', '--matrices', 'changed.txt,four.txt'))
    expect(said).toMatch(/--matrices: found changed\.txt \(SHA-256 [0-9a-f]{64}\), not a matrix of the log; /)
    expect(said).toContain(`expected the file of six (SHA-256 ${six})`)
    expect(complaint(await folder.cloister(command, 'run.ndjson', '--matrices', 'four.txt'))).toContain('of six')
  }
  expect((await folder.cloister('simulate', ...run.slice(0, 6), '--refusals', '--out', 'plain.ndjson')).code).toBe(0)
  for (const command of ['rerun', 'audit'])
    expect(complaint(await folder.cloister(command, 'plain.ndjson', '--matrices', 'four.txt'))).toContain(
      '--matrices: the log has no communication matrix',
    )
  expect(complaint(await folder.cloister('explain', 'plain.ndjson', '--job', '7', '--matrices', 'four.txt'))).toContain(
    '--matrices is not needed: no policy gets requests about this log',
  )
  expect(complaint(await folder.cloister('simulate', ...run, '--out', 'six.txt', '--force'))).toContain(
    'six.txt cannot be written, because the command reads this file',
  )
})

test('a job with another number of nodes than its matrix has ranks is a violation; names of matrices are shown escaped', async () => {
  const folder = folderOf()
  const plain = run.slice(0, -2)
  expect((await folder.cloister('simulate', ...plain, '--out', 'run.ndjson')).code).toBe(0)
  const path = join(folder.path, 'run.ndjson')
  const [header, ...records] = [...readLogFile(path)] as [Header, ...ReadonlyArray<LogRecord>]
  const workload = { ...header.workload, matrices: [{ name: 'forty', sha256: sumOf(matrix(40)) }] }
  const strange = { ...workload, matrices: [{ name: '\u001b[31mred', sha256: sumOf('') }] }
  const renamed = records.map((record) =>
    record.type === 'submit' && record.communication !== undefined
      ? { ...record, communication: { ...record.communication, pattern: 'matrix:forty' } }
      : record,
  )
  writeFileSync(path, resealed({ ...header, workload }, renamed))
  writeFileSync(join(folder.path, 'strange.ndjson'), resealed({ ...header, workload: strange }, records))
  expect(complaint(await folder.cloister('rerun', 'strange.ndjson'))).toContain('header: \\u001b[31mred (SHA-256')
  const { code, stdout } = await folder.cloister('audit', 'run.ndjson', '--matrices', 'forty.txt')
  expect(code).toBe(1)
  expect(stdout).toMatch(/matrix-ranks at record \d+, job \d+: job \d+ has \d+ ranks, but its matrix has 40/)
})

test('the fault record of a policy that fails, and the printed request, have no matrix', async () => {
  const folder = folderOf()
  folder.write(
    'failing.mjs',
    `
const claims = { links: 'shared', fullBandwidth: false, exactSize: true, monotone: true, complete: true, speedupScenarios: false }
const config = { '~standard': { version: 1, vendor: 'test', validate: () => ({ value: {} }) } }
const place = (_, { communication }) => {
  if (communication?.matrix !== undefined) throw new Error('no idea')
  return { ok: false, code: 'too-few-nodes', free: 0 }
}
export default { contract: 1, name: 'failing', version: '1.0.0', config, make: () => ({ claims, place }) }
`,
  )
  const given = run.map((word) => (word === 'combal' ? './failing.mjs' : word))
  const said = complaint(await folder.cloister('simulate', ...given, '--out', 'run.ndjson'))
  expect(said).toContain('"matrix":{"name":"')
  expect(said).not.toContain('9000000')
  expect(readFileSync(join(folder.path, 'run.ndjson'), 'utf8')).not.toContain('9000000')
})
