import { parseMatrix } from '@cloister/communication'
import { Effect } from 'effect'
import { describe, expect, it, test } from 'vitest'
import { canonicalSpec, type GivenSpec, OptionError, prepare, type Run } from '../src/index.ts'
import { filesOf, inMemory } from './memory.ts'

const texts: Readonly<Record<string, string>> = {
  'pair.txt': '0 9000\n9000 0\n',
  'three.csv': '0, 1e3, 0\n1e3, 0, 2\n0, 2, 0\n',
  'other/pair.txt': '0 1 1\n1 0 1\n1 1 0\n',
  'huge.txt': Array.from({ length: 70 }, () => '0 '.repeat(70)).join('\n'),
  'ragged.txt': '0 1\n1 0 2\n',
  'words.txt': `0 1\n1 ${'x'.repeat(1000)}\n`,
  'negative.txt': '0 1\n-1 0\n',
  'empty.txt': '',
}
const least: GivenSpec = { trace: 'synth:4:60', topology: 'radix:6', policy: 'slurm-tree', seed: 7 }
const communicating: GivenSpec = { ...least, communication: '60%:ring:50%' }

function prepared(given: GivenSpec): Promise<Run> {
  const spec = canonicalSpec(given, filesOf(texts))
  return Effect.runPromise(prepare(spec).pipe(Effect.provide(inMemory(texts))))
}

async function reason(given: GivenSpec): Promise<string> {
  const failed = await prepared(given).catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(OptionError)
  return (failed as OptionError).message
}

test('communicating jobs get the matrix of their size instead of their pattern, and the rest stays unchanged', async () => {
  const without = (await prepared(communicating)).workload.jobs
  const { workload } = await prepared({ ...communicating, matrices: 'three.csv,pair.txt' })
  const names = new Map([
    [2, 'pair'],
    [3, 'three'],
  ])
  expect(workload.jobs.length).toBe(without.length)
  let given = 0
  for (const [at, job] of [...workload.jobs].entries()) {
    const before = without.at(at)!
    const name = before.communication && names.get(job.size)
    if (name === undefined) expect(job).toEqual(before)
    else {
      given++
      expect(job.communication).toMatchObject({ pattern: `matrix:${name}`, share: 500, matrix: { name } })
      expect(job.communication!.matrix!.bytes.length).toBe(job.size)
    }
  }
  expect(given).toBeGreaterThan(3)
})

test('the order of the files in the option `matrices` does not change the run', () => {
  const specs = ['three.csv,pair.txt', 'pair.txt, three.csv'].map((matrices) =>
    canonicalSpec({ ...communicating, matrices }, filesOf(texts)),
  )
  expect(specs[0]).toEqual(specs[1])
  expect(specs[0].matrices).toBe('pair.txt,three.csv')
})

test('a rule such as halo:27-point:8 in the option `matrices` gives jobs the matrix of a file with the same numbers', async () => {
  const { workload, matrices } = await prepared({ ...communicating, matrices: 'halo:refined:4:9,pair.txt' })
  const made = [...workload.jobs].flatMap(({ communication }) => communication?.matrix ?? [])
  expect(new Set(made.map(({ name }) => name))).toEqual(new Set(['halo-refined-4-9', 'pair']))
  const { text, matrix } = matrices!.find(({ path }) => path.startsWith('halo:'))!
  expect(parseMatrix(text)).toEqual(matrix.bytes)
  expect(await reason({ ...communicating, matrices: 'halo:cube:4' })).toContain(
    'found "halo:cube:4", expected halo:KIND:RANKS[:SEED] with KIND one of 27-point',
  )
})

describe('matrices are refused with a helpful error', () => {
  it.each([
    ['pair.txt,,three.csv', 'found "pair.txt,,three.csv", expected files with commas between them'],
    ['there.txt', 'there.txt: there is no such file'],
    ['ragged.txt', 'ragged.txt, line 2: found 3 fields, expected 2'],
    ['words.txt', 'words.txt, line 2: column 2: found "xxxx'],
    ['negative.txt', 'negative.txt, line 2: column 1: found "-1", expected a number of bytes'],
    ['empty.txt', 'empty.txt, line 1: column 1: found ""'],
    [
      'other/pair.txt,three.csv',
      'other/pair.txt and three.csv are both of 3 ranks, expected one matrix for each number of ranks',
    ],
    ['other/pair.txt,pair.txt', 'other/pair.txt and pair.txt are both called pair'],
    ['huge.txt', 'no communicating job has as many nodes as a matrix has ranks: huge.txt has 70 ranks'],
  ])('the run fails with a helpful error for the matrices %s', async (matrices, expected) => {
    const said = await reason({ ...communicating, matrices }).catch((error: unknown) => (error as Error).message)
    expect(said).toContain(`matrices: ${expected}`)
    expect(said.length).toBeLessThan(300)
  })

  it('the run fails with matrices if no job communicates, or if run times follow from patterns', async () => {
    expect(await reason({ ...least, matrices: 'pair.txt' })).toBe(
      'matrices: no job communicates; set the option communication',
    )
    for (const runTimes of ['communication', 'contention'] as const)
      expect(await reason({ ...communicating, matrices: 'pair.txt', runTimes, overrun: 'run-on' })).toContain(
        `runTimes: found ${runTimes}, expected fixed`,
      )
  })
})
