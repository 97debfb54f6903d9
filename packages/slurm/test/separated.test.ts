import { parseTopology } from '@cloister/topology'
import { sacctFields } from '@cloister/trace-io'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  drivenJobsArguments,
  NodeIds,
  parseDrivenJobs,
  parseNodeEvents,
  parseRestJobs,
  parseSacct,
  parseSqueue,
  separatorOf,
  squeueArguments,
} from '../src/index.ts'

const separator = separatorOf('00ff00ff00ff00ff')
const nodeIds = new NodeIds(parseTopology('radix:4'))
const printed = (records: ReadonlyArray<ReadonlyArray<string>>, end = '\n'): string =>
  records.map((values) => `${values.map((value) => `${value}${separator}`).join('')}${end}`).join('')
const values = (id: number, account: string): ReadonlyArray<string> => {
  const times = ['100', '100', 'N/A', 'N/A', '10:00']
  return [String(id), 'PENDING', ...times, '2', '', 'ann', account, 'batch', '0', 'node=2', '0', 'normal', '(null)']
}
const more = (features: string, licenses: string, mark: string): ReadonlyArray<string> => {
  return ['JobHeldUser', '(null)', '', features, licenses, 'N/A', mark]
}
/** Random text of a user, with many of the characters that separate values in the output of Slurm's commands. */
const written = fc.oneof(
  fc.string({ unit: fc.constantFrom('|', '\n', '\r', ',', '~', ':', '=', '"', '0', 'a'), maxLength: 12 }),
  fc.string(),
)

test('no text of a user moves a value of squeue or sacct into a wrong column', () => {
  const jobs = fc.array(fc.tuple(written, written, written, written), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(jobs, fc.constantFrom('\n', '\r\n'), (texts, end) => {
      const accounts = texts.map(([account]) => account.trim())
      const shown = (account: string | undefined): string =>
        ['N/A', '(null)', 'NOT_SET', 'n/a'].includes(account!) ? '' : account!
      const queue = printed(
        texts.map(([account], id) => values(id + 1, account)),
        end,
      )
      expect(parseSqueue(queue, separator).map(({ labels }) => labels.account ?? '')).toEqual(accounts.map(shown))
      const driven = printed(
        texts.map(([account, features, licenses, mark], id) => [
          ...values(id + 1, account),
          ...more(features, licenses, mark),
        ]),
        end,
      )
      const { jobs: read, unread } = parseDrivenJobs(driven, separator, nodeIds, 200)
      expect(unread).toEqual([])
      expect(read.map(({ id, partition, size }) => [id, partition, size])).toEqual(
        texts.map((_, id) => [String(id + 1), 'batch', 2]),
      )
      for (const [at, [, features, licenses, mark]] of texts.entries()) {
        const isGiven = (text: string): boolean => !['', '(null)', 'N/A'].includes(text.trim())
        expect(read[at].demands).toEqual([
          ...(isGiven(features) ? ['features'] : []),
          ...(isGiven(licenses) ? ['licenses'] : []),
        ])
        expect(read[at].mark).toBe(isGiven(mark) ? mark.trim() : '')
      }
      const facts = ['100', '100', '110', '120', '10', '10', '1', 'COMPLETED', 'batch', 'ann']
      const rows = texts.map(([account], id) => [
        String(id + 1),
        String(id + 1),
        ...facts,
        account,
        'node0',
        '',
        '',
        'normal',
        '',
        '4294901759',
        'SchedMain',
      ])
      const accounted = parseSacct(printed([sacctFields, ...rows], end), separator)
      expect(accounted.map(({ jobId, labels }) => [jobId, labels.account ?? ''])).toEqual(
        accounts.map((account, id) => [String(id + 1), account]),
      )
    }),
  )
})

test('squeueArguments puts the separator after each field of --Format', () => {
  const format = drivenJobsArguments(separator).at(-1)!
  expect(format.split(',').every((field) => field.endsWith(`:${separator}`))).toBe(true)
  expect(format.startsWith(squeueArguments(separator).at(-1)!)).toBe(true)
})

test('parseDrivenJobs reads all other jobs if one job has a wrong value', () => {
  const wrong = values(7, 'physics').map((value, at) => (at === 12 ? 'many' : value))
  const records = [wrong, values(8, 'physics')].map((each) => [...each, ...more('(null)', '(null)', 'cloister')])
  const { jobs, unread } = parseDrivenJobs(printed(records), separator, nodeIds, 200)
  expect(jobs).toMatchObject([{ id: '8', isHeld: true, mark: 'cloister' }])
  const reason = expect.stringContaining('squeue, line 1, field Restarts: found "many"')
  expect(unread).toEqual([{ id: '7', partition: 'batch', isHeld: true, mark: 'cloister', reason }])
})

test('parseSqueue throws a TraceError for output that cannot be cut into records', () => {
  const cut = (text: string): (() => unknown) => {
    return () => parseSqueue(text, separator)
  }
  expect(cut('squeue: error\n')).toThrow('squeue, line 1: found "squeue: error", expected 17 values')
  expect(cut(printed([values(7, 'a').slice(1)]))).toThrow('squeue, line 1')
  expect(cut(printed([values(7, 'a')]) + printed([['8', 'PENDING']]))).toThrow('squeue, line 2')
  expect(cut(printed([values(7, 'a')], ''))).not.toThrow()
  expect(cut(printed([values(7, 'a')], '') + printed([values(8, 'a')]))).toThrow('squeue, line 2')
})

test('parseNodeEvents refuses a bar in the column Reason, unless Reason is the last column', () => {
  const file = (heading: string, line: string): (() => unknown) => {
    return () => parseNodeEvents(`${heading}\n${line}\n`, 'events.psv', nodeIds).outages
  }
  expect(file('NodeName|Reason|TimeStart|TimeEnd', 'node0|fan|5|100|200')).toThrow(
    'events.psv, line 2: found 5 values for 4 columns, because a Reason holds a bar',
  )
  expect(file('NodeName|TimeStart|TimeEnd|Reason', 'node0|100|200|fan|5')()).toMatchObject([{ from: 100_000 }])
})

test('parseRestJobs reads jobs of an account whose name contains a bar', () => {
  const job = { job_id: 1, job_state: 'RUNNING', submit_time: 5, node_count: 1, nodes: 'node0', start_time: 6 }
  const { rows } = parseRestJobs(
    JSON.stringify({
      jobs: [
        { ...job, account: 'a|b\nc' },
        { ...job, job_id: 2 },
      ],
    }),
  )
  expect(rows.map(({ jobId, labels }) => [jobId, labels.account])).toEqual([
    ['1', 'a|b\nc'],
    ['2', undefined],
  ])
})
