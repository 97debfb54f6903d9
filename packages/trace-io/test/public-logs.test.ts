import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { describeWorkload, formatArrivals, formatFilter, formatSwf, loadWorkload, parseArrivals, parseFilter, parseSwf, publicLog, swfFields, traceManifest } from '../src/index.ts'
import type { SwfTrace } from '../src/index.ts'
import { findTrace } from '../src/find-trace.ts'
import { traceText } from '../src/trace-file.ts'

const folder = process.env['CLOISTER_TRACE_DIR'] ?? fileURLToPath(new URL('../../../../shared/traces', import.meta.url))
const { logs } = traceManifest()

test('the manifest spells filters and arrivals canonically, and every preset once', () => {
  for (const log of logs) {
    expect(formatFilter(parseFilter(log.filter))).toBe(log.filter)
    expect(formatArrivals(parseArrivals(log.arrivals))).toBe(log.arrivals)
    expect(log.jobs).toBeLessThanOrEqual(log.records)
    expect(publicLog(log.preset)).toBe(log)
  }
  expect(new Set(logs.map((log) => log.sha256)).size).toBe(logs.length)
})

/** What comes out beyond the number of jobs: the largest size, run times in seconds, and the canonical job list. */
const expected: Record<string, { readonly largest: number; readonly runTime: readonly [number, number]; readonly skipped: Record<string, number>; readonly sha256: string }> = {
  thunder: { largest: 965, runTime: [1, 172_362], skipped: { 'status!=5': 8021, 'runtime>0': 7254 }, sha256: '1f167dc4c91129f6d243e198755a11e1dc30a9dae1a409f8be62dedbdca38880' },
  atlas: { largest: 1024, runTime: [1, 342_754], skipped: { 'status!=5': 11_432, 'runtime>0': 2577, 'nodes<=1024': 69 }, sha256: '022ebc15e2d4afc7e621bc9195ff87a633857b00e5f6cfab03dd992043660727' },
  kth: { largest: 100, runTime: [0, 226_709], skipped: { 'allocated>0': 1 }, sha256: '05e26be1825499cb8e8b566cd63e4ea31888c458d2fbda85bc6b707e11cd4fa3' },
  hpc2n: { largest: 200, runTime: [1, 508_620], skipped: {}, sha256: 'eeb2c9503e9ec9441ae276ac19347f08962fc508d61b7bbe6b701b0fc0033c3b' },
  'sdsc-blue': { largest: 144, runTime: [0, 616_793], skipped: { 'allocated>0': 19_518, 'unknown run time': 127 }, sha256: '2ff11fb3bf6308dfab132d063196c84d65122e3de8d02ab6ace766eacce802e2' },
  'cea-curie': { largest: 4988, runTime: [0, 124_615], skipped: { 'allocated>0': 10_912 }, sha256: 'cb6c86da7aedabdb2da2b541e69198c67b2a54b10c99e5488e09cb8893a0e80e' },
  theta: { largest: 4048, runTime: [16, 163_427], skipped: {}, sha256: 'bd483b4534800ff0739f3b851ee60f2b27e30434bb722af9f303e081a7fafa50' },
}

if (!existsSync(folder)) console.warn(`public logs: skipped, there is no ${folder}; set CLOISTER_TRACE_DIR to a folder that holds them`)

describe.skipIf(!existsSync(folder))(`public logs in ${folder}`, () => {
  test.each(logs)('$preset gives $jobs jobs', (log) => {
    const loaded = loadWorkload(log.preset, { folders: [folder] })
    const { workload, skipped, read } = loaded
    expect([workload.jobs.length, read]).toEqual([log.jobs, log.records])
    expect(workload.jobs.length + Object.values(skipped).reduce((a, b) => a + b, 0)).toBe(read)
    const { size, runTime } = describeWorkload(workload)
    expect({ largest: size!.max, runTime: [runTime!.min, runTime!.max], skipped, sha256: workload.sha256 }).toEqual(expected[log.preset])
    expect(workload).toMatchObject({ name: log.file.replace('.swf.gz', ''), sourceSha256: log.sha256, filter: log.filter })
    expect([loaded.roundedTimes, loaded.arrivals]).toEqual([0, log.arrivals])
    if (log.arrivals === 'zero') expect(workload.jobs.every((job) => job.submit === 0)).toBe(true)
  })

  test('times are relative to the first job, whose date is known', () => {
    const { workload } = loadWorkload('theta', { folders: [folder] })
    expect(workload.jobs[0].submit).toBe(0)
    expect(new Date(workload.epoch! * 1000).toISOString()).toBe('2022-01-01T07:14:14.000Z')
  })

  test('a filter given with a preset narrows it', () => {
    const { workload, skipped } = loadWorkload('kth', { folders: [folder], filter: 'runtime>0' })
    expect([workload.jobs.length, workload.filter]).toEqual([28_467, 'runtime>0,allocated>0'])
    expect(skipped).toEqual({ 'runtime>0': 8, 'allocated>0': 1 })
  })

  test('the largest log is read in about a second, and written and read again the same', () => {
    const file = findTrace(publicLog('cea-curie')!, [folder])
    const text = traceText(file)
    const start = performance.now()
    const trace = parseSwf(text, { file: file.path })
    expect(performance.now() - start).toBeLessThan(3000) // generous: other work shares the machine
    expect(trace.jobs).toBe(312_826)
    const again = parseSwf(formatSwf(trace), { file: file.path })
    const contents = (trace: SwfTrace): unknown => [trace.comments, trace.directives, [...trace.lines], ...swfFields.map((field) => Buffer.from(trace.columns[field].slice().buffer).toString('base64'))]
    expect(contents(again)).toEqual(contents(trace))
  })

  test('headers keep what logs put into them', () => {
    const directives = (preset: string): Map<string, string> => new Map(loadWorkload(preset, { folders: [folder] }).directives.map(({ name, value }) => [name, value]))
    expect(directives('kth').get('Information')).toBe('http://www.pdc.kth.se/\nhttp://www.cs.huji.ac.il/labs/parallel/workload/')
    expect(directives('atlas').get('Acknowledge')).toBe('Moe Jette, LLNL')
    expect([...directives('theta')]).toEqual([['UnixStartTime', '0'], ['MaxNodes', '4360'], ['MaxProcs', '4360']])
  })
})
