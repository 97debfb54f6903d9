import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isCommunicationList, parseCommunicationList, TraceError, workloadFromSwf } from '../src/index.ts'

const heading = 'Job_name Submit Runtime Nodes Comment Perc'
const job = fc.record({
  submit: fc.nat(1000),
  runTime: fc.nat(1000),
  nodes: fc.integer({ min: 1, max: 512 }),
  communicates: fc.boolean(),
  percent: fc.integer({ min: 1, max: 100 }),
})

it('parseCommunicationList reads the jobs of a list with their shares of communication', () => {
  fc.assert(
    fc.property(
      fc.array(job, { maxLength: 12 }),
      fc.constantFrom(' ', '\t', '   '),
      fc.constantFrom('\n', '\r\n'),
      (jobs, blank, end) => {
        const text = [
          heading,
          ...jobs.map(({ submit, runTime, nodes, communicates, percent }, at) =>
            [at + 7, submit, runTime, nodes, communicates ? 1 : 0, percent].join(blank),
          ),
          '',
        ].join(end)
        expect(isCommunicationList(new TextEncoder().encode(text))).toBe(true)
        const { workload } = workloadFromSwf(parseCommunicationList(text, { file: 'a.txt' }))
        const first = jobs.reduce((least, { submit }) => Math.min(least, submit), Infinity)
        const sorted = jobs.map((each, at) => ({ ...each, id: String(at + 7) })).toSorted((a, b) => a.submit - b.submit)
        expect(workload.jobs).toEqual(
          sorted.map(({ id, submit, runTime, nodes, communicates, percent }) => ({
            id,
            submit: (submit - first) * 1000,
            size: nodes,
            runTime: runTime * 1000,
            walltime: undefined,
            ...(communicates ? { communication: { pattern: 'unknown', share: percent * 10 } } : {}),
          })),
        )
      },
    ),
  )
})

it.each([
  ['1 2 3 4 1', 'line 2', '5 values'],
  ['1 2 3 4 2 50', 'Comment', 'a whole number from 0 to 1'],
  ['1 2 3 4 1 101', 'Perc', 'a whole number from 0 to 100'],
  ['1 2 -3 4 1 10', 'Runtime', 'found "-3"'],
])('parseCommunicationList refuses the line "%s" and names the field and the allowed values', (line, ...expected) => {
  const parse = (): unknown => parseCommunicationList(`${heading}\n${line}\n`, { file: 'a.txt' })
  expect(parse).toThrow(TraceError)
  for (const text of expected) expect(parse).toThrow(text)
})

it('isCommunicationList is false for empty files, SWF, columns of sacct and an incomplete first line', () => {
  for (const text of ['', '; Version: 2.2\n1 2 3', 'JobID,NNodes', 'Job_name Submit Runtime Nodes'])
    expect(isCommunicationList(new TextEncoder().encode(text))).toBe(false)
})

const samples = join(
  process.env['CLOISTER_TRACE_DIR'] ?? resolve(import.meta.dirname, '../../../../shared/traces'),
  'alcf-samples',
)
it.skipIf(!existsSync(samples))(
  `parseCommunicationList reads the samples of three logs (${existsSync(samples) ? '' : `not in ${samples}`})`,
  () => {
    for (const name of ['anl', 'mira', 'theta']) {
      const file = join(samples, `iitk_sample_${name}.swf`)
      expect(workloadFromSwf(parseCommunicationList(readFileSync(file), { file })).workload.jobs).toHaveLength(3000)
    }
  },
)
