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

/** Source of files without a file system, as on a web page. */
const files: TraceFiles = {
  open: opened,
  find: ({ preset, file, sha256 }) => {
    if (preset === 'kth') return opened('one.swf')!
    throw new TraceNotFoundError({ preset, file, sha256, folders: [], addresses: [], otherFiles: [] })
  },
}

/** Source of files with the same text under every path. */
function holding(text: string): TraceFiles {
  return {
    open: (file) => ({ file, text: new TextEncoder().encode(text), sha256: '' }),
    find: () => expect.fail('no preset was asked for'),
  }
}

test('loadWorkloadFrom recognises the format of a file by its contents', () => {
  const load = (trace: string) => loadWorkloadFrom(files, trace).workload
  expect(load('one.swf')).toMatchObject({ name: 'one', sourceSha256: 'ab'.repeat(32), jobs: [{ id: '1', size: 4 }] })
  expect(load('one.csv').jobs).toMatchObject([{ runTime: 600_000 }])
  expect(load('one.txt').jobs).toMatchObject([{ communication: { pattern: 'unknown', share: 500 } }])
  expect(load('synth:16:20').jobs).toHaveLength(20)
})

test("loadWorkloadFrom narrows the filter of a preset by the option `filter`, and replaces the preset's arrivals", () => {
  expect(loadWorkloadFrom(files, 'kth')).toMatchObject({
    workload: { name: 'KTH-SP2-1996-2.1-cln', filter: 'allocated>0' },
    arrivals: 'trace',
  })
  expect(loadWorkloadFrom(files, 'kth', { filter: 'nodes<9', procsPerNode: 2, arrivals: 'zero' })).toMatchObject({
    workload: { filter: 'size=requested/2,nodes<9,allocated>0', jobs: [{ size: 2, submit: 0 }] },
    arrivals: 'zero',
  })
})

test('loadWorkloadFrom refuses a name that is no trace, and the error has the name', () => {
  expect(() => loadWorkloadFrom(files, 'two.swf')).toThrow(SpecError)
  expect(() => loadWorkloadFrom(files, 'two.swf')).toThrow(
    'trace: found "two.swf", expected an existing file, a preset (thunder,',
  )
  expect(() => loadWorkloadFrom(files, 'thunder')).toThrow(TraceNotFoundError)
  expect(() => loadWorkloadFrom(files, 'none.swf')).toThrow(TraceError)
  expect(() => loadWorkloadFrom(files, 'none.swf')).toThrow('none.swf: found no job, expected a line of 18 numbers')
})

test.each([
  ['a program', '# jobs\nprint(1)\n', 'x, line 1: found "# jobs", expected a job log in SWF, in Slurm'],
  ['JSON', '\n{"a": 1}\n', 'x, line 2: found "{\\"a\\": 1}", expected a job log in SWF'],
  ['bytes', '\u007fELF\u0000\u0001', 'x, line 1: found "\u007fELF'],
  [
    'a topology.conf behind comments',
    ';\r;\rSwitchName=s0 Nodes=n[1-2]',
    'x, line 3: found "SwitchName=s0 Nodes=n[1-2]"',
  ],
])(
  'loadWorkloadFrom names the forms of job logs in the error for a file with %s instead of a job log',
  (_, text, message) => {
    for (const skipBadLines of [false, true]) {
      const load = (): unknown => loadWorkloadFrom(holding(text), 'x', { skipBadLines })
      expect(load).toThrow(expect.objectContaining({ _tag: 'TraceError', canBeSkipped: false }))
      expect(load).toThrow(message)
    }
  },
)

test('loadWorkloadFrom reads a log with a bad line before the first job as a job log', () => {
  const text = `number submit wait\n${'1 '.repeat(18)}\n`
  expect(() => loadWorkloadFrom(holding(text), 'x')).toThrow('x, line 1, field job: found "number"')
  expect(loadWorkloadFrom(holding(text), 'x', { skipBadLines: true }).workload.jobs).toHaveLength(1)
})
