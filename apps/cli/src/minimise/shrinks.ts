import type { RunOptionName } from '@cloister/run'
import { parseTopology } from '@cloister/topology'
import type { Job } from '@cloister/workload'
import { fewest, type IsWrong, leastNumber, type Shrink } from './search.ts'
import type { SmallRun } from './small-run.ts'

/** Functions that shrink a faulty run. Cheap functions with a large effect come first. */
export const shrinks: ReadonlyArray<Shrink<SmallRun>> = [
  fewerOptions,
  fewerJobs,
  fewerOutages,
  smallerMachine,
  smallerJobs,
  countedJobs,
]

async function fewerOptions(run: SmallRun, isWrong: IsWrong<SmallRun>): Promise<SmallRun> {
  let smallest = run
  for (const [name, value] of Object.entries(run.options)) {
    const simple = simplest[name as RunOptionName]
    if (name === 'topology' || name === 'policy' || JSON.stringify(value) === JSON.stringify(simple)) continue
    const options = { ...smallest.options, [name]: simple }
    smallest = await tried(smallest, { ...smallest, options }, isWrong)
  }
  return smallest
}

/** Values of options that make a run simpler than the option's default does. */
const simplest: { readonly [Name in RunOptionName]?: unknown } = { queue: 'fcfs', estimates: 'exact' }

async function fewerJobs(run: SmallRun, isWrong: IsWrong<SmallRun>): Promise<SmallRun> {
  const jobs = await fewest(run.jobs, async (some) => some.length > 0 && (await isWrong({ ...run, jobs: some })))
  return jobs.length < run.jobs.length ? { ...run, jobs } : run
}

async function fewerOutages(run: SmallRun, isWrong: IsWrong<SmallRun>): Promise<SmallRun> {
  const outages = await fewest(run.outages, (some) => isWrong({ ...run, outages: some }))
  return outages.length < run.outages.length ? { ...run, outages } : run
}

const machines = [
  'pgft:1;2;1;1',
  'pgft:1;4;1;1',
  'pgft:1;8;1;1',
  'pgft:2;4,4;1,4;1,1',
  ...[4, 6, 8, 10, 12, 14, 16, 18, 22, 28].map((radix) => `radix:${radix}`),
]
  .map((name) => ({ name, nodes: parseTopology(name).nodes }))
  .sort((a, b) => a.nodes - b.nodes)

async function smallerMachine(run: SmallRun, isWrong: IsWrong<SmallRun>): Promise<SmallRun> {
  const now = nodesOf(run)
  for (const { name, nodes } of machines.filter((each) => each.nodes < now)) {
    const options = { ...run.options, topology: name }
    const scaled = run.jobs.map((job) => ({ ...job, size: Math.max(1, Math.round((job.size * nodes) / now)) }))
    for (const jobs of [run.jobs, scaled])
      if (await isWrong({ ...run, options, jobs })) return { ...run, options, jobs }
  }
  return run
}

/** Infinity for a machine from a file, so that every machine of `machines` is smaller. */
function nodesOf({ options }: SmallRun): number {
  return /^(slurm|ib):|@/.test(options.topology) ? Infinity : parseTopology(options.topology).nodes
}

async function smallerJobs(run: SmallRun, isWrong: IsWrong<SmallRun>): Promise<SmallRun> {
  let smallest = run
  const withJob = (at: number, change: Partial<Job>): SmallRun => ({
    ...smallest,
    jobs: smallest.jobs.map((job, each) => (each === at ? { ...job, ...change } : job)),
  })
  const least = async (at: number, from: number, lowest: number, changed: (value: number) => Partial<Job>) => {
    const value = await leastNumber(from, lowest, (each) => isWrong(withJob(at, changed(each))))
    if (value < from) smallest = withJob(at, changed(value))
  }
  const seconds = (milliseconds: number): number => Math.ceil(milliseconds / 1000)
  for (const at of run.jobs.keys()) {
    const { size, submit, runTime, walltime } = run.jobs[at]
    await least(at, size, 1, (value) => ({ size: value }))
    await least(at, seconds(submit), 0, (value) => ({ submit: value * 1000 }))
    await least(at, seconds(runTime), 0, (value) => ({ runTime: value * 1000 }))
    if (walltime === undefined) continue
    smallest = await tried(smallest, withJob(at, { walltime: undefined }), isWrong)
    if (smallest.jobs[at].walltime !== undefined)
      await least(at, seconds(walltime), 1, (value) => ({ walltime: value * 1000 }))
  }
  return smallest
}

async function countedJobs(run: SmallRun, isWrong: IsWrong<SmallRun>): Promise<SmallRun> {
  const jobs = run.jobs.map((job, at) => ({ ...job, id: String(at + 1) }))
  return run.jobs.every(({ id }, at) => id === jobs[at].id) ? run : tried(run, { ...run, jobs }, isWrong)
}

async function tried(before: SmallRun, after: SmallRun, isWrong: IsWrong<SmallRun>): Promise<SmallRun> {
  return (await isWrong(after)) ? after : before
}
