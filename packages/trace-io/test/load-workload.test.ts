import { SpecError } from '@cloister/workload'
import { expect, test } from 'vitest'
import { loadWorkloadFrom, type OpenTrace, TraceError, type TraceFiles, TraceNotFoundError } from '../src/index.ts'

const texts: Readonly<Record<string, string>> = {
  'one.swf': '1 5 -1 60 4 -1 -1 4 60 -1 1 7 -1 -1 -1 -1 -1 -1\n',
  'one.csv': 'JobID,NNodes,State,Submit,Elapsed\n1,4,COMPLETED,2014-08-01T00:00:00,00:10:00\n',
  'one.txt': 'Job_name Submit Runtime Nodes Comment Perc\n1 0 60 4 1 50\n',
  'none.swf': '; MaxJobs: 0\n',
}

function opened(file: string): OpenTrace | undefined {
  const text = texts[file]
  return text === undefined ? undefined : { file, text: new TextEncoder().encode(text), sha256: 'ab'.repeat(32) }
}

/** Files as a page has them, without a file system. */
const files: TraceFiles = {
  open: opened,
  find: ({ preset, file, sha256 }) => {
    if (preset === 'kth') return opened('one.swf')!
    throw new TraceNotFoundError({ preset, file, sha256, folders: [], addresses: [], otherFiles: [] })
  },
}

test('traces of every format are known by their contents', () => {
  const load = (trace: string) => loadWorkloadFrom(files, trace).workload
  expect(load('one.swf')).toMatchObject({ name: 'one', sourceSha256: 'ab'.repeat(32), jobs: [{ id: '1', size: 4 }] })
  expect(load('one.csv').jobs).toMatchObject([{ runTime: 600_000 }])
  expect(load('one.txt').jobs).toMatchObject([{ communication: { pattern: 'unknown', share: 500 } }])
  expect(load('synth:16:20').jobs).toHaveLength(20)
})

test('a preset brings its name, filter and arrivals; what is given narrows and replaces them', () => {
  expect(loadWorkloadFrom(files, 'kth')).toMatchObject({
    workload: { name: 'KTH-SP2-1996-2.1-cln', filter: 'allocated>0' },
    arrivals: 'trace',
  })
  expect(loadWorkloadFrom(files, 'kth', { filter: 'nodes<9', procsPerNode: 2, arrivals: 'zero' })).toMatchObject({
    workload: { filter: 'size=requested/2,nodes<9,allocated>0', jobs: [{ size: 2, submit: 0 }] },
    arrivals: 'zero',
  })
})

test('what is no trace is refused by name', () => {
  expect(() => loadWorkloadFrom(files, 'two.swf')).toThrow(SpecError)
  expect(() => loadWorkloadFrom(files, 'two.swf')).toThrow(
    'trace: found "two.swf", expected a file, a preset (thunder,',
  )
  expect(() => loadWorkloadFrom(files, 'thunder')).toThrow(TraceNotFoundError)
  expect(() => loadWorkloadFrom(files, 'none.swf')).toThrow(TraceError)
  expect(() => loadWorkloadFrom(files, 'none.swf')).toThrow('none.swf: found no job, expected a line of 18 numbers')
})
