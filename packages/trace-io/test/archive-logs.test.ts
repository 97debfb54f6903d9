import { parseFilter, SpecError } from '@cloister/workload'
import { describe, expect, test } from 'vitest'
import {
  type ConvertedWorkload,
  formatSwf,
  loadWorkloadFrom,
  type LoadOptions,
  parseSwf,
  swfFromConverted,
  workloadFromSwf,
} from '../src/index.ts'

/**
 * Header of an SWF log with features of several archives: a status that SWF does not define, users and queues, nodes of
 * 4 processors.
 */
const header = '; UnixStartTime: 1075593600\n; MaxNodes: 10\n; MaxProcs: 40\n'
const log = `${header}1 0 5 100 8 -1 -1 8 200 -1 1 3 1 -1 2 1 -1 -1
2 3600 6 100 8 -1 -1 5 200 -1 -4 7 1 12 3 1 -1 -1
3 86400 7 100 -1 -1 -1 4 200 -1 5 9 2 -1 2 2 -1 -1
`
const csv = `JobID,User,Account,Partition,NNodes,State,Submit,Elapsed
1,alice,physics,batch,2,COMPLETED,2014-08-01T12:00:00,00:10:00
2,bob,physics,debug,4,FAILED,2014-08-02T12:00:00,00:10:00
oops,bob,physics,debug,4,FAILED,2014-08-02T12:00:00,00:10:00
3,bob,biology,batch,4,COMPLETED,2014-08-03T00:00:00,00:10:00
`
const list = `Job_name Submit Runtime Nodes Comment Perc
1 0 10 4 1 50
2 0 ten 4 1 50
`

function load(text: string, options: LoadOptions = {}): ConvertedWorkload {
  const find = (): never => {
    throw new Error('no preset is asked for')
  }
  const open = (file: string) => ({ file, text: new TextEncoder().encode(text), sha256: '0'.repeat(64) })
  return loadWorkloadFrom({ open, find }, 'log', options)
}
const ids = (converted: ConvertedWorkload): string => [...converted.workload.jobs].map(({ id }) => id).join()

describe('nodeProcs, the number of processors of a node,', () => {
  const sizes = ({ workload }: ConvertedWorkload): ReadonlyArray<number> => [...workload.jobs].map(({ size }) => size)

  test('nodeProcs comes from the header of an SWF file, unless an option or the filter gives the number', () => {
    const guessed = load(log)
    expect([sizes(guessed), guessed.nodeProcs, guessed.workload.filter]).toEqual([[2, 2, 1], 4, 'size=requested/4'])
    for (const options of [{ procsPerNode: 1 }, { filter: 'size=requested' }]) {
      const asked = load(log, options)
      expect([sizes(asked), asked.nodeProcs]).toEqual([[8, 5, 4], undefined])
    }
  })

  test('nodeProcs is `uneven` for nodes of several sizes, and absent if the header does not state processors', () => {
    const with_ = (from: string, to: string): ConvertedWorkload => load(log.replace(from, to))
    expect(with_('MaxProcs: 40', 'MaxProcs: 43')).toMatchObject({ nodeProcs: 'uneven', workload: { filter: '' } })
    for (const other of ['MaxProcs: 10', 'MaxProcs: many', 'Note: 40', 'MaxProcs: 5'])
      expect(with_('MaxProcs: 40', other).nodeProcs).toBeUndefined()
    expect(with_('MaxProcs: 40', 'MaxProcs: 40 (two of them down)').nodeProcs).toBe(4)
  })
})

test('loadWorkloadFrom keeps and counts jobs with a status that SWF does not define', () => {
  expect(load(log).unknownStatuses).toBe(1)
  expect(ids(load(log, { filter: 'status=-4' }))).toBe('2')
  expect(load(log, { filter: 'status>=0' }).unknownStatuses).toBe(0)
})

test.each([
  ['user=3|9', '1,3'],
  ['queue=3|user=3', '1,2'],
  ['status!=5,user=3|7|9', '1,2'],
  ['from=2004-02-01', '1,2,3'],
  ['from=2004-02-01T00:00:01', '2,3'],
  ['from=2004-02-01T01:00:00,until=2004-02-02', '2'],
  ['until=2004-02-01T01:00:00', '1'],
])('in an SWF log of the jobs 1, 2 and 3, the filter %s keeps the jobs %s', (filter, kept) => {
  const converted = load(log, { filter })
  expect(ids(converted)).toBe(kept)
  expect(Object.values(converted.skipped).reduce((a, b) => a + b, 0)).toBe(3 - converted.workload.jobs.length)
})

test.each([
  ['user=alice', '1'],
  ['user!=alice', '2,3'],
  ['partition=batch', '1,3'],
  ['queue=debug|group=biology', '2,3'],
  ['user=1', '1'],
  ['from=2014-08-02,until=2014-08-03', '2'],
])('in a log with names of users and queues, the filter %s keeps the jobs %s', (filter, kept) => {
  expect(ids(load(csv, { filter, skipBadLines: true }))).toBe(kept)
})

test('loadWorkloadFrom refuses a filter by user names or dates if the log has no names or no start time', () => {
  expect(() => load(log, { filter: 'user=alice' })).toThrow(SpecError)
  expect(() => load(log, { filter: 'user=alice' })).toThrow('the log has no names in the field user')
  expect(() => load(log.replace(/; Unix.*\n/, ''), { filter: 'from=2004-02-01' })).toThrow('with the time of its start')
})

test("skipBadLines skips and counts bad lines of SWF, Slurm's accounting and lists of communicating jobs", () => {
  for (const [text, line, jobs] of [
    [log.replace('2 3600', '2 never'), 5, 2],
    [csv, 4, 3],
    [list, 3, 1],
  ] as const) {
    expect(() => load(text)).toThrow(`log, line ${line}, `)
    const { badLines, workload, read } = load(text, { skipBadLines: true })
    expect([badLines.count, badLines.first.map((error) => error.line), workload.jobs.length, read]).toEqual([
      1,
      [line],
      jobs,
      jobs,
    ])
  }
})

test("swfFromConverted writes Slurm's accounts as groups in SWF, and partitions as partitions and queues", () => {
  const converted = load(csv, { skipBadLines: true })
  const text = formatSwf(swfFromConverted(converted))
  const { columns } = parseSwf(text, { file: 'again.swf' })
  expect([columns.user, columns.group, columns.queue, columns.partition].map((column) => [...column])).toEqual([
    [1, 2, 2],
    [1, 1, 2],
    [1, 2, 1],
    [1, 2, 1],
  ])
  const again = load(text)
  expect([...again.workload.jobs].map(({ account, queue }) => [account, queue])).toEqual([
    ['1', '1'],
    ['1', '2'],
    ['2', '1'],
  ])
})

test('swfFromConverted keeps the users, groups, statuses, queues, partitions and waits of the log', () => {
  const converted = load(log, { filter: 'user=3|7' })
  const text = formatSwf(swfFromConverted(converted))
  const jobs = text.split('\n').filter((line) => /^\d/.test(line))
  expect(jobs).toEqual([
    '1 0 5 100 2 -1 -1 2 200 -1 1 3 1 -1 2 1 -1 -1',
    '2 3600 6 100 2 -1 -1 2 200 -1 -4 7 1 12 3 1 -1 -1',
  ])
  const again = workloadFromSwf(parseSwf(text, { file: 'again.swf' }), { filter: parseFilter('size=requested') })
  expect(again.workload.sha256).toBe(converted.workload.sha256)
  expect(swfFromConverted(load(log, { arrivals: 'zero' })).columns.wait).toEqual(Int32Array.of(-1, -1, -1))
})
