import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { describeWorkload } from '@cloister/workload'
import { findTrace, loadWorkload, traceText } from '../src/node/index.ts'
import {
  formatSwf,
  parseSwf,
  type PublicLog,
  swfFields,
  type SwfTrace,
  traceManifest,
  TraceNotFoundError,
} from '../src/index.ts'
import type { TraceFile } from '../src/node/index.ts'
import { sha256 } from '../src/node/trace-file.ts'

const folders = [
  process.env['CLOISTER_TRACE_DIR'] ?? fileURLToPath(new URL('../../../../shared/traces', import.meta.url)),
]
const { logs } = traceManifest()

function find(log: PublicLog): TraceFile | undefined {
  try {
    return findTrace(log, folders)
  } catch (error) {
    if (!(error instanceof TraceNotFoundError)) throw error
    console.warn(
      `tests on ${log.preset} are skipped (CLOISTER_TRACE_DIR names the folder of the logs): ${error.message}`,
    )
    return undefined
  }
}

const files = new Map(logs.map((log) => [log.preset, find(log)]))

function read(preset: string): SwfTrace {
  return parseSwf(traceText(files.get(preset)!), { file: preset })
}

function contents(trace: SwfTrace): unknown {
  return [
    trace.comments,
    trace.directives,
    sha256(new Uint8Array(trace.lines.slice().buffer)),
    ...swfFields.map((field) => sha256(new Uint8Array(trace.columns[field].slice().buffer))),
  ]
}

/**
 * Expected values of a public log besides the number of jobs: largest size, run times in seconds, SHA-256 of the job
 * list, and a header line.
 */
interface Expected {
  readonly largest: number
  readonly runTime: readonly [number, number]
  readonly skipped: Readonly<Record<string, number>>
  readonly sha256: string
  readonly header: readonly [name: string, value: string]
}

const expected: Readonly<Record<string, Expected>> = {
  thunder: {
    largest: 965,
    runTime: [1, 172_362],
    skipped: { 'status!=5': 8021, 'runtime>0': 7254 },
    sha256: '1f167dc4c91129f6d243e198755a11e1dc30a9dae1a409f8be62dedbdca38880',
    header: ['MaxNodes', '1002'],
  },
  atlas: {
    largest: 1024,
    runTime: [1, 342_754],
    skipped: { 'status!=5': 11_432, 'runtime>0': 2577, 'nodes<=1024': 69 },
    sha256: '022ebc15e2d4afc7e621bc9195ff87a633857b00e5f6cfab03dd992043660727',
    header: ['Acknowledge', 'Moe Jette, LLNL'],
  },
  kth: {
    largest: 100,
    runTime: [0, 226_709],
    skipped: { 'allocated>0': 1 },
    sha256: '05e26be1825499cb8e8b566cd63e4ea31888c458d2fbda85bc6b707e11cd4fa3',
    header: ['Information', 'http://www.pdc.kth.se/\nhttp://www.cs.huji.ac.il/labs/parallel/workload/'],
  },
  hpc2n: {
    largest: 200,
    runTime: [1, 508_620],
    skipped: {},
    sha256: 'eeb2c9503e9ec9441ae276ac19347f08962fc508d61b7bbe6b701b0fc0033c3b',
    header: ['MaxJobs', '527371'],
  },
  'sdsc-blue': {
    largest: 144,
    runTime: [0, 616_793],
    skipped: { 'allocated>0': 19_518, 'unknown run time': 127 },
    sha256: '2ff11fb3bf6308dfab132d063196c84d65122e3de8d02ab6ace766eacce802e2',
    header: ['Queue', '0  interactive'],
  },
  'cea-curie': {
    largest: 4988,
    runTime: [0, 124_615],
    skipped: { 'allocated>0': 10_912 },
    sha256: 'cb6c86da7aedabdb2da2b541e69198c67b2a54b10c99e5488e09cb8893a0e80e',
    header: [
      'Note',
      'Curie is composed of 3 types of nodes: thin, fat, and hybrid,\nsee: http://www-hpc.cea.fr/en/complexe/tgcc-curie.htm',
    ],
  },
  theta: {
    largest: 4048,
    runTime: [16, 163_427],
    skipped: {},
    sha256: 'bd483b4534800ff0739f3b851ee60f2b27e30434bb722af9f303e081a7fafa50',
    header: ['UnixStartTime', '0'],
  },
}

for (const log of logs) {
  describe.skipIf(files.get(log.preset) === undefined)(log.preset, () => {
    test(`the preset ${log.preset} gives ${log.jobs} jobs, and counts the jobs left out of the log's ${log.records} jobs`, () => {
      const {
        workload,
        skipped,
        read: records,
        roundedTimes,
        arrivals,
        directives,
      } = loadWorkload(log.preset, { folders })
      expect([workload.jobs.length, records]).toEqual([log.jobs, log.records])
      expect(workload.jobs.length + Object.values(skipped).reduce((a, b) => a + b, 0)).toBe(records)
      const { size, runTime } = describeWorkload(workload)
      const [header] = directives.filter(({ name }) => name === expected[log.preset].header[0])
      expect({
        largest: size!.max,
        runTime: [runTime!.min, runTime!.max],
        skipped,
        sha256: workload.sha256,
        header: [header.name, header.value],
      }).toEqual(expected[log.preset])
      expect(workload).toMatchObject({
        name: log.file.replace('.swf.gz', ''),
        sourceSha256: log.sha256,
        filter: log.filter,
      })
      expect([roundedTimes, arrivals]).toEqual([0, log.arrivals])
      if (log.arrivals === 'zero') expect([...workload.jobs].every((job) => job.submit === 0)).toBe(true)
    })
  })
}

test.skipIf(!files.get('theta'))(
  'the times of the workload theta are relative to the first job, and `epoch` has the date of the first job',
  () => {
    const { workload } = loadWorkload('theta', { folders })
    expect(workload.jobs.at(0)!.submit).toBe(0)
    expect(new Date(workload.epoch! * 1000).toISOString()).toBe('2022-01-01T07:14:14.000Z')
  },
)

test.skipIf(!files.get('kth'))('the option `filter` narrows the filter of the preset kth', () => {
  const { workload, skipped } = loadWorkload('kth', { folders, filter: 'runtime>0' })
  expect([workload.jobs.length, workload.filter]).toEqual([28_467, 'runtime>0,allocated>0'])
  expect(skipped).toEqual({ 'runtime>0': 8, 'allocated>0': 1 })
})

for (const preset of ['kth', 'atlas', 'theta']) {
  test.skipIf(!files.get(preset))(`formatSwf and parseSwf keep all jobs and comments of ${preset}`, () => {
    const trace = read(preset)
    expect(contents(parseSwf(formatSwf(trace), { file: preset }))).toEqual(contents(trace))
  })
}
