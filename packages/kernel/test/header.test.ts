import { bindPolicy } from '@cloister/placement'
import { baseline } from '@cloister/policy-baseline'
import { parseTopology } from '@cloister/topology'
import { makeWorkload, parseResample, resampleWorkload } from '@cloister/workload'
import { expect, test } from 'vitest'
import { describeRun, optionsOfRules } from '../src/index.ts'

test('the epoch in the header is a whole second after a drop of the first jobs and scaling of arrivals', () => {
  const jobs = [0, 2500].map((submit, at) => ({ id: `${at}`, submit, size: 1, runTime: 1, walltime: undefined }))
  const workload = resampleWorkload(
    makeWorkload(jobs, { name: 'w', filter: '', epoch: 1000 }),
    parseResample('drop-first:1'),
  )
  expect(workload.epoch).toBe(1002.5)
  const header = describeRun({
    workload,
    bound: bindPolicy(baseline, parseTopology('radix:4')),
    program: 'test',
    options: optionsOfRules(
      { queue: { backfill: 'none' }, estimates: 'exact', overrun: 'run-on', refusals: false },
      'scale:0.5',
    ),
  })
  expect(header.epoch).toBe(1002)
})
