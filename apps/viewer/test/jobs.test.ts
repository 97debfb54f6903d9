import { RunTable } from '@cloister/eventlog'
import { nodeTimeUses } from '@cloister/figures'
import { computeMetrics, JobColumns, parseJobQuery, selectJobs } from '@cloister/metrics'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { narrowed } from '../src/page/panels/jobs.tsx'
import { queueGroups } from '../src/page/panels/queue.tsx'
import { waitParts, waitTotals } from '../src/page/panels/why-waited.tsx'
import { JobList } from '../src/run/job-list.ts'
import type { JobListAnswer, TimelineMeansAnswer, WholeWhy } from '../src/run/questions.ts'
import { runs, viewed } from './runs.ts'

const asked = { query: '', sort: null, descending: false, from: 0, count: 100, histogram: null } as const

it('the answer `jobs` lists the jobs of a query page by page, and explains a wrong query', () => {
  fc.assert(
    fc.property(runs, fc.nat(6), (log, page) => {
      const run = viewed(log)
      const list = (question: object): JobListAnswer =>
        run.answer('jobs', { ...asked, ...question }).json as JobListAnswer
      const all = list({ sort: 'size', descending: true })
      expect(all.jobs).toBe(log.records.filter(({ type }) => type === 'submit').length)
      expect(all.rows.map(({ size }) => size)).toEqual(all.rows.map(({ size }) => size!).sort((a, b) => b - a))
      expect(list({ sort: 'size', descending: true, from: page, count: 2 }).rows).toEqual(
        all.rows.slice(page, page + 2),
      )
      const few = list({ query: 'size>2', histogram: 'size' })
      expect(few.rows).toEqual(list({}).rows.filter(({ size }) => size! > 2))
      expect(few.found).toBe(few.rows.length)
      expect(few.histogram!.counts.reduce((sum, each) => sum + each, 0)).toBe(few.found)
      expect(list({ query: 'wiat>2' })).toMatchObject({ found: 0, error: expect.stringContaining('one of the fields') })
    }),
    { numRuns: 30 },
  )
})

it('`JobList` answers for twenty pages of a hundred thousand jobs without sorting the jobs again', () => {
  const table = new RunTable({ details: true })
  const columns = new JobColumns(table)
  for (let job = 0; job < 100_000; job++)
    table.add({ seq: job + 1, t: job, type: 'submit', job: `${job}`, size: 1 + ((job * 7919) % 997) })
  let reads = 0
  const counted = new Proxy(columns, {
    get: (target, name) => {
      if (name === 'number') reads++
      const found: unknown = Reflect.get(target, name)
      return typeof found === 'function' ? found.bind(target) : found
    },
  })
  const list = new JobList(counted)
  const page = (from: number): JobListAnswer =>
    list.answer({ ...asked, query: 'size>500', sort: 'size', histogram: 'size', from, count: 50 }, 1)
  expect(page(0).found).toBe(selectJobs(columns, parseJobQuery('size>500')).length)
  const before = reads
  for (let from = 0; from < 20_000; from += 1000) expect(page(from).rows.length).toBe(50)
  expect(reads - before).toBeLessThan(20 * 50 * 20)
})

it('`narrowed` adds the bounds of a bar of a histogram to a query, and replaces earlier bounds of the same field', () => {
  expect(narrowed('', 'wait', 0, 16, false)).toBe('wait>=0 wait<16')
  expect(narrowed('user=ann wait>3h', 'wait', 16, 32.5, true)).toBe('user=ann wait>=16 wait<=32.5')
  expect(narrowed('wait>=0 wait<16 waits', 'wait', 1, 2, false)).toBe('waits wait>=1 wait<2')
})

it('the shares of `nodeTimeUses` are the shares of the metric `nodeTime`, and add up to 100 %', () => {
  fc.assert(
    fc.property(runs, (log) => {
      const { nodeTime } = computeMetrics(log.records)
      const ends = log.records.flatMap((record) =>
        record.type === 'finish' || record.type === 'kill' ? [record.t] : [],
      )
      const first = log.records.find((record) => record.type === 'submit')
      const to = ends.at(-1)
      if (nodeTime === null || to === undefined || first === undefined || !('t' in first) || to <= first.t) return
      const { arrays } = viewed(log).answer('means', { from: first.t, to, points: 1 })
      const means = arrays as unknown as TimelineMeansAnswer
      const figures = Object.fromEntries(Object.entries(means).map(([name, [value]]) => [name, value]))
      const machine = { nodes: nodesOf(log.records[0]) }
      const shares = nodeTimeUses.map(({ of }) => of(figures as Parameters<typeof of>[0], machine) / machine.nodes)
      expect(shares.reduce((sum, each) => sum + each, 0)).toBeCloseTo(1, 9)
      const known = [
        nodeTime.busy,
        nodeTime.beyondRequest,
        nodeTime.down,
        nodeTime.noJob,
        nodeTime.tooFewNodes,
        nodeTime.fragmented,
      ]
      shares.forEach((share, cause) => expect(share, nodeTimeUses[cause].name).toBeCloseTo(known[cause], 6))
    }),
    { numRuns: 60 },
  )
})

function nodesOf(header: unknown): number {
  const { topology } = header as { readonly topology: { readonly pgft: { readonly m: ReadonlyArray<number> } } }
  return topology.pgft.m.reduce((product, each) => product * each, 1)
}

it('the answer `worst` about the figure `external` is a moment with this value of the figure, while a job waits', () => {
  fc.assert(
    fc.property(runs, (log) => {
      const run = viewed(log)
      const { moment } = run.answer('worst', { figure: 'external', from: 0, to: 1000 }).json as {
        readonly moment: { readonly t: number; readonly value: number } | null
      }
      if (moment === null) return
      const { free, waiting } = run.answer('moment', { t: moment.t }).json as {
        readonly free: number
        readonly waiting: number
      }
      expect(free).toBe(moment.value)
      expect(waiting).toBeGreaterThan(0)
    }),
    { numRuns: 30 },
  )
})

it('the answer `explain` has the waits of every job, from the log alone, and the parts of a wait add up to the wait', () => {
  fc.assert(
    fc.property(runs, (log) => {
      const run = viewed(log)
      for (const record of log.records) {
        if (record.type !== 'submit') continue
        const { explanation } = run.answer('explain', { job: record.job }).json as WholeWhy
        const parts = waitParts(explanation!.waits)
        const waited = explanation!.waits.reduce((sum, { from, to }) => sum + to - from, 0)
        expect(parts.reduce((sum, { from, to }) => sum + to - from, 0)).toBeCloseTo(waited, 6)
        expect(waitTotals(parts).reduce((sum, { seconds }) => sum + seconds, 0)).toBeCloseTo(waited, 6)
      }
      expect(run.answer('explain', { job: 'nobody' }).json).toMatchObject({ explanation: null })
    }),
    { numRuns: 20 },
  )
})

it('`queueGroups` groups the waiting jobs by reason, in the order of the first job of each group', () => {
  const line = (job: string, size: number, why: string) => ({ job, size, place: 'window', why, nearest: null }) as const
  const groups = queueGroups([
    line('1', 4, 'free leaves'),
    line('2', 5, 'fits now, but would delay job 1, which has a reservation'),
    line('3', 6, 'free leaves'),
    line('4', 7, 'fits now, but would delay job 3, which has a reservation'),
  ])
  expect(groups.map(({ why, lines, nodes }) => [why, lines.map(({ job }) => job), nodes])).toEqual([
    ['free leaves', ['1', '3'], 10],
    ['fits now, but would delay a job that has a reservation', ['2', '4'], 12],
  ])
})
