import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { flagOf, type GivenSpec, optionOf, optionWords, type RunOptionName, runOptionNames } from '@cloister/run'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Folder } from './cloister.ts'

/** Files that the sample values of run options name. */
const texts: Readonly<Record<string, string>> = {
  'outages.ndjson': '{"t":60,"type":"down","nodes":"3"}\n{"t":6000,"type":"up","nodes":"3"}\n',
  'pair.txt': '0 9000\n9000 0\n',
  'three.txt': '0,1,2\n1,0,3\n2,3,0\n',
}

/** Trace of three weeks of jobs by five users, more jobs than the machine can run at once. */
const weeksOfJobs = Array.from({ length: 90 }, (_, at) => {
  const [submit, run, nodes, user] = [at * 20_000, 30_000 + 7000 * (at % 9), 3 + ((at * 7) % 11), 1 + (at % 5)]
  return `${at + 1} ${submit} -1 ${run} ${nodes} -1 -1 ${nodes} ${run + 600} -1 1 ${user} -1 -1 -1 -1 -1 -1\n`
}).join('')

/** The first 60 of these jobs as a table, with columns for every sample of the option `columns`. */
const tableOfJobs = [
  'job_id,submit_time,start_time,duration,node_num,gpu_num,state,user,vc,at,seconds,nodes',
  ...Array.from({ length: 60 }, (_, at) => {
    const [submit, run, nodes] = [at * 20_000, 30_000 + 7000 * (at % 9), 3 + ((at * 7) % 11)]
    return [at + 1, submit, submit + 60, run, nodes, 8 * nodes, 'COMPLETED', 'ada', 'vc1', submit, run, nodes].join()
  }),
].join('\n')

/** Samples of all run options except `policy`, whose sample is a file that this test lacks; all runs use Baseline. */
const samples = runOptionNames
  .filter((name) => name !== 'policy')
  .flatMap((name) => optionOf(name).samples.map((sample) => [name, sample] as const))

/** Options that the field `options` of a log's header lacks, because other fields or records have the values. */
const elsewhere: ReadonlySet<string> = new Set([
  'trace',
  'filter',
  'topology',
  'policy',
  'config',
  'matrices',
  'outages',
  'maxPlaceMs',
  'order',
  'orderConfig',
  'router',
])

const folder = new Folder(afterAll)
beforeAll(async () => {
  for (const [name, text] of Object.entries(texts)) folder.write(name, text)
  folder.write('jobs.csv', tableOfJobs)
  folder.write('jobs.swf', weeksOfJobs)
  folder.write('jobs.swf.gz', gzipSync(weeksOfJobs))
})

describe('every option of a run', () => {
  it.each(samples)(
    'the option %s with value %j is in the header, and rerun, audit, explain and metrics accept the log',
    async (name, sample) => {
      const words = wordsOf(name, sample)
      const shown = sample === true ? flagOf(name) : String(sample)
      const run = async (log: string, ...more: ReadonlyArray<string>): Promise<void> => {
        const { code, stderr } = await folder.cloister('simulate', ...words, ...more, '--out', log, '--force')
        expect({ code, stderr }).toMatchObject({ code: 0 })
      }
      await run('run.ndjson')
      await run('reasons.ndjson', ...(name === 'refusals' ? [] : ['--refusals']))
      if (!elsewhere.has(name)) expect(headerOf('run.ndjson').options).toHaveProperty(name)
      const matrices = name === 'matrices' ? ['--matrices', String(sample)] : []
      const { trace } = specWith(name, sample)
      expect(await folder.cloister('rerun', 'run.ndjson', ...matrices)).toMatchObject({ code: 0 })
      expect(await folder.cloister('audit', 'run.ndjson', '--rerun', '--trace', trace, ...matrices)).toMatchObject({
        code: 0,
      })
      const metrics = await folder.cloister('metrics', 'run.ndjson', '--json')
      expect(metrics.code).toBe(0)
      if (!elsewhere.has(name) && optionOf(name).group !== 'output')
        expect(assumptionsOf(metrics.stdout)).toContain(shown)
      for (const job of waitingJobs('run.ndjson')) {
        const asked = await folder.json('explain', 'run.ndjson', '--job', job, ...matrices)
        const recorded = await folder.json('explain', 'reasons.ndjson', '--job', job)
        expect(withoutNumbers(asked)).toEqual(withoutNumbers(recorded))
      }
    },
  )
})

/** Further options that a run option needs to have an effect. */
const companions: { readonly [Name in RunOptionName]?: Partial<GivenSpec> } = {
  columns: { trace: 'jobs.csv' },
  resample: { trace: 'jobs.swf' },
  seed: { bandwidth: 'classes' },
  overrun: { estimates: 'requested' },
  topology: { trace: 'synth:2:60', policy: 'baseline' },
  matrices: { communication: '90%:recursive-doubling:50%' },
  cost: { communication: '90%:recursive-doubling:50%', runTimes: 'communication' },
  costsFrom: { communication: '90%:recursive-doubling:50%' },
  unroutable: { router: 'd-mod-k' },
  orderConfig: { order: 'fair-share' },
  runTimes: { communication: '90%:recursive-doubling:50%', policy: 'baseline', overrun: 'run-on' },
}

/** Returns the description of a small crowded run with one option set to a sample value. */
function specWith(name: RunOptionName, sample: unknown): GivenSpec {
  const least = { trace: 'synth:4:60', topology: 'kary:3:3', policy: 'jigsaw' }
  return { ...least, ...companions[name], [name]: sample }
}

function wordsOf(name: RunOptionName, sample: unknown): ReadonlyArray<string> {
  return optionWords(specWith(name, sample))
}

function headerOf(log: string): { readonly options: object } {
  const [first] = readFileSync(join(folder.path, log), 'utf8').split('\n', 1)
  return JSON.parse(first) as { readonly options: object }
}

/** Returns the texts of the assumptions that `cloister metrics` compares, on one line. */
function assumptionsOf(metrics: string): string {
  const { assumptions } = JSON.parse(metrics) as { readonly assumptions: object }
  return Object.values(assumptions).join('; ')
}

/** Returns the ids of the first, the middle and the last job in a log that had a reservation. */
function waitingJobs(log: string): ReadonlyArray<string> {
  const lines = readFileSync(join(folder.path, log), 'utf8').trim().split('\n')
  const records = lines.map((line) => JSON.parse(line) as { readonly type: string; readonly job: string })
  const jobs = [...new Set(records.filter(({ type }) => type === 'reserve').map(({ job }) => job))]
  return [...new Set([jobs[0], jobs[jobs.length >> 1], jobs.at(-1)])].filter((job) => job !== undefined)
}

/**
 * Removes record numbers from an explanation, because logs with and without refusals have different numbers, and the
 * largest offer, which only a rerun finds.
 */
function withoutNumbers(value: unknown): unknown {
  const left = new Set(['seq', 'largestOffer'])
  return JSON.parse(JSON.stringify(value), (key, member: unknown) => (left.has(key) ? undefined : member)) as unknown
}
