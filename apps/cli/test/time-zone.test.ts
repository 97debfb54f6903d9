import { expect, it } from 'vitest'
import { utcOffsetIn } from '../src/trace/time-zone.ts'
import { complaint, Folder } from './cloister.ts'

it('utcOffsetIn returns the offset of the local clocks, also when the clocks change', () => {
  const at = (zone: string, time: string): number => utcOffsetIn(zone)(Date.parse(time) / 1000)
  expect(at('Europe/Berlin', '2024-01-15T12:00:00Z')).toBe(3600)
  expect(at('Europe/Berlin', '2024-03-31T00:59:59Z')).toBe(3600)
  expect(at('Europe/Berlin', '2024-03-31T01:00:00Z')).toBe(7200)
  expect(at('Asia/Kathmandu', '2024-07-15T12:00:00Z')).toBe(20_700)
  expect(at('-03:30', '2024-07-15T12:00:00Z')).toBe(-12_600)
})

it('--time-zone moves the times of jobs in an accounting of Slurm, and must be a known time zone', async () => {
  const folder = new Folder()
  const row = (job: number, submit: string): string => `${job}|4|COMPLETED|${submit}|00:10:00`
  folder.write(
    'jobs.psv',
    ['JobID|NNodes|State|Submit|Elapsed', row(1, '2024-03-31T01:30:00'), row(2, '2024-03-31T03:30:00'), ''].join('\n'),
  )
  const span = async (...options: ReadonlyArray<string>): Promise<unknown> =>
    ((await folder.json('trace', 'info', 'jobs.psv', ...options)) as { readonly span: number }).span
  expect(await span()).toBe(7200)
  expect(await span('--time-zone', 'Europe/Berlin')).toBe(3600)
  expect(complaint(await folder.cloister('trace', 'info', 'jobs.psv', '--time-zone', 'Mars/Base'))).toContain(
    'found "Mars/Base", expected a time zone such as Europe/Berlin, America/New_York or +02:00',
  )
})
