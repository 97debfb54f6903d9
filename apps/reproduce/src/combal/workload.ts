import { type Halo, haloMatrix } from '@cloister/communication'
import { seededDraws } from '@cloister/topology'
import { type Job, jobListSha256, makeWorkload, type Workload } from '@cloister/workload'
import type { Log } from './paper.ts'

/** Programs of the Combal slides, each with a halo exchange for `haloMatrix`: the programs' matrices are not public. */
const programs: ReadonlyArray<readonly [name: string, halo: Halo]> = [
  ['miniAMR', 'refined'],
  ['LAMMPS', 'staged'],
  ['MiniGhost', '7-point'],
  ['HPCG', '27-point'],
  ['miniFE', '27-point'],
  ['miniMD', 'staged'],
]
/** Greatest number of jobs of each of the six programs; at most 1002 jobs in all. */
const EACH = 167
const LARGEST = 256

/**
 * Returns a workload: the first 167 jobs of each of the six most frequent job sizes from 2 to 256 nodes, after sizes
 * are divided by `scale`. The seed draws another program for each size. Every job outlives its walltime of 1 ms, so the
 * head's reservation holds back no job, as under Slurm if jobs have no time limits.
 */
export function programsOf(jobs: ReadonlyArray<Job>, { name, scale }: Log, seed: number): Workload {
  const draw = seededDraws(seed)
  const scaled = jobs.map((job) => ({ ...job, size: Math.max(1, Math.round(job.size / scale)) }))
  const counts = new Map<number, number>()
  for (const { size } of scaled) if (size > 1 && size <= LARGEST) counts.set(size, (counts.get(size) ?? 0) + 1)
  const sizes = Array.from(counts)
    .sort(([a, manyA], [b, manyB]) => manyB - manyA || a - b)
    .slice(0, programs.length)
  const rest = [...programs]
  const matrices = new Map(
    sizes.map(([size]) => {
      const [[program, halo]] = rest.splice(draw(rest.length), 1)
      return [
        size,
        { name: `${program}-${size}`, sha256: `${program}-${size}-${seed}`, bytes: haloMatrix(halo, size, draw) },
      ]
    }),
  )
  const taken = new Map<number, number>()
  const chosen = scaled.filter(({ size }) => {
    const before = taken.get(size) ?? 0
    taken.set(size, before + 1)
    return matrices.has(size) && before < EACH
  })
  const list = chosen.map(({ communication, ...job }): Job => {
    const matrix = matrices.get(job.size)!
    const communicates =
      communication === undefined
        ? {}
        : { communication: { ...communication, pattern: `matrix:${matrix.name}`, matrix } }
    return { ...job, submit: job.submit - chosen[0].submit, walltime: 1, ...communicates }
  })
  return makeWorkload(list, { name: `${name}, seed ${seed}, ${jobListSha256(list).slice(0, 8)}`, filter: '' })
}
