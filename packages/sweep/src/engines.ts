import { availableParallelism } from 'node:os'
import { quoteWord } from '@cloister/run'
import type { EngineName } from './engine-names.ts'
import type { Cell } from './experiment.ts'
import { readTimes, type SweepFolder } from './sweep-folder.ts'

/** Number of shards of a sweep; memory and time limit of each shard. */
export interface ShardSize {
  readonly shards: number
  readonly megabytes: number
  /** Time limit of a shard in minutes. A shard that takes longer has most likely failed. */
  readonly minutes: number
}

/** Sweep for which the script of a workflow engine is written. */
export interface EmittedSweep extends ShardSize {
  /** Name of the experiment: the path of its file, or the names of reproductions, as the user gave them. */
  readonly experiment: string
  readonly cells: number
  /** Words after `cloister` of the command of every shard, except `--shard` and `options`. */
  readonly run: ReadonlyArray<string>
  /** Words after `cloister` of the command that joins the results of all shards. */
  readonly merge: ReadonlyArray<string>
  /** Folder from which the relative paths in the experiment start. */
  readonly workingDirectory: string
  /** Words of the command that starts Cloister, equal on every host of the sweep. */
  readonly program: ReadonlyArray<string>
  /** Identifier of this build of Cloister. */
  readonly build: string
  /** Further options of every shard, except `--shard`. */
  readonly options: ReadonlyArray<string>
  /** Number of cells that a shard runs at once. */
  readonly threads: number
}

/** Command of one shard. @param shard shell code of the value of `--shard`, such as `"$SLURM_ARRAY_TASK_ID/8"` */
function workerLine({ program, run, options }: EmittedSweep, shard: string): string {
  return `${[...program, ...run].map(quoteWord).join(' ')} --shard ${shard} ${options.map(quoteWord).join(' ')}`
}

function mergeLine({ program, merge }: EmittedSweep): string {
  return [...program, ...merge].map(quoteWord).join(' ')
}

function goThere({ workingDirectory }: EmittedSweep): string {
  return `cd ${quoteWord(workingDirectory)}`
}

function heading(sweep: EmittedSweep, how: string): string {
  const name = JSON.stringify(sweep.experiment)
  return `# ${name}: ${sweep.cells} cells as ${sweep.shards} shards. ${how}
# The script can be run again at any time: finished cells do not run again.`
}

/** Function for each workflow engine that returns the script of a sweep. */
export const engines: { readonly [Name in EngineName]: (sweep: EmittedSweep) => string } = {
  slurm: (sweep) => `#!/bin/bash
${heading(sweep, 'Submit this script with sbatch.')}
#SBATCH --job-name=cloister
#SBATCH --array=1-${sweep.shards}
#SBATCH --cpus-per-task=${sweep.threads}
#SBATCH --mem=${sweep.megabytes}M
#SBATCH --time=${sweep.minutes}
#SBATCH --requeue
#SBATCH --open-mode=append
${goThere(sweep)} || exit 1
exec ${workerLine(sweep, `"$SLURM_ARRAY_TASK_ID/${sweep.shards}"`)}
`,
  hq: (sweep) => `#!/bin/bash
${heading(sweep, 'This script submits a task array to HyperQueue.')}
${goThere(sweep)} || exit 1
exec hq submit --name cloister --array 1-${sweep.shards} --cpus ${sweep.threads} --time-limit ${sweep.minutes}m --crash-limit 5 \\
  -- bash -c ${quoteWord(`exec ${workerLine(sweep, `"$HQ_TASK_ID/${sweep.shards}"`)}`)}
`,
  k8s,
  make: (sweep) => `${heading(sweep, 'make -j 8 -f FILE runs eight shards at a time, and merges the results.')}
shards := ${Array.from({ length: sweep.shards }, (_, at) => `shard-${at + 1}`).join(' ')}
.PHONY: merge $(shards)

merge: $(shards)
	${inMake(`${goThere(sweep)} && ${mergeLine(sweep)}`)}

$(shards): shard-%:
	${inMake(`${goThere(sweep)} && exec ${workerLine(sweep, '\0')}`).replace('\0', `$*/${sweep.shards}`)}
`,
  parallel: (sweep) => `#!/bin/bash
${heading(sweep, 'Run this script with bash and GNU parallel; JOBS=8 runs eight shards at a time.')}
${goThere(sweep)} || exit 1
seq ${sweep.shards} | parallel --jobs "\${JOBS:-100%}" --line-buffer ${quoteWord(workerLine(sweep, `{}/${sweep.shards}`))} || exit
exec ${mergeLine(sweep)}
`,
}

function inMake(line: string): string {
  return line.replaceAll('$', '$$$$')
}

function k8s(sweep: EmittedSweep): string {
  const args = [...sweep.run, ...sweep.options]
  return `${heading(sweep, 'Submit this file with kubectl apply -f.')}
# Build the image from the Containerfile beside the program. All pods must be able to write the volume, which holds the
# experiment and its files.
apiVersion: batch/v1
kind: Job
metadata:
  name: cloister-sweep
spec:
  completionMode: Indexed
  completions: ${sweep.shards}
  parallelism: ${sweep.shards}
  backoffLimitPerIndex: 5
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: cloister
          image: cloister:${sweep.build}
          workingDir: /sweep
          args: ${JSON.stringify(args)}
          env:
            - name: CLOISTER_SHARDS
              value: "${sweep.shards}"
          resources:
            requests: { cpu: "${sweep.threads}", memory: ${sweep.megabytes}Mi }
            limits: { memory: ${sweep.megabytes}Mi }
          volumeMounts:
            - { name: sweep, mountPath: /sweep }
      volumes:
        - name: sweep
          persistentVolumeClaim: { claimName: cloister-sweep }
`
}

/** Intended run time of a shard in seconds, long compared with the time in which a batch system starts a task. */
const SECONDS_A_SHARD = 900

/** Returns at most `sample` cells: first one cell of each pair of trace and topology, then cells spread evenly. */
export function spread(cells: ReadonlyArray<Cell>, sample: number): ReadonlyArray<Cell> {
  const kinds = new Map<string, Cell>()
  for (const each of cells) {
    const kind = JSON.stringify([each.cell.trace, each.cell.topology])
    if (!kinds.has(kind)) kinds.set(kind, each)
  }
  const step = Math.max(1, Math.floor(cells.length / sample))
  const others = cells.filter((_, at) => at % step === Math.floor(step / 2))
  return [...new Set([...kinds.values(), ...others])].slice(0, sample)
}

/** Time and memory of all cells of a sweep, estimated from the cells that have run. */
export interface Estimate {
  readonly known: number
  /** Estimated time of all cells of the sweep on one processor, in seconds. */
  readonly seconds: number
  /** Time of the slowest measured cell, in seconds. */
  readonly longest: number
  /** Peak memory of this process plus 50 %, in MiB, rounded up to a multiple of 64. */
  readonly megabytes: number
}

/** Estimates the time and the memory of a sweep from the cells with known times; undefined without a known time. */
export function estimate(cells: ReadonlyArray<Cell>, folder: SweepFolder): Estimate | undefined {
  const times = readTimes(folder)
  const known = cells.flatMap(({ digest }) => times.get(digest)?.seconds ?? [])
  if (known.length === 0) return undefined
  const mean = known.reduce((sum, each) => sum + each, 0) / known.length
  const peak = process.resourceUsage().maxRSS / 1024
  return {
    known: known.length,
    seconds: mean * cells.length,
    longest: Math.max(...known),
    megabytes: Math.ceil((peak * 1.5) / 64) * 64,
  }
}

/**
 * Returns the number of shards for an engine, so that a shard takes about a quarter of an hour on `workers` threads, and
 * the memory and the time limit of a shard.
 * @param given number of shards; undefined: a number from the estimate, at most `most`
 */
export function sizeShards(
  engine: EngineName,
  measured: Estimate,
  workers: number,
  given: number | undefined,
  most: number,
): ShardSize {
  const long = Math.ceil(measured.seconds / workers / SECONDS_A_SHARD)
  const isLocal = engine === 'make' || engine === 'parallel'
  const shards = given ?? Math.min(most, isLocal ? Math.max(long, availableParallelism()) : long)
  return {
    shards,
    megabytes: workers * measured.megabytes,
    minutes: Math.ceil((2 * (measured.seconds / shards / workers + measured.longest)) / 60) + 5,
  }
}
