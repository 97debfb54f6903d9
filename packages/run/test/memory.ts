import { sha256 } from '@cloister/eventlog/node'
import { swfFromWorkload, workloadFromSwf } from '@cloister/trace-io'
import { generateSynthetic, parseArrivals, parseFilter, parseSynthetic } from '@cloister/workload'
import { baseline } from '@cloister/policy-baseline'
import jigsaw from '@cloister/policy-jigsaw'
import slurmTree from '@cloister/policy-slurm-tree'
import { Effect, Layer } from 'effect'
import { attempt, FileError, Hash, OptionError, Policies, RunFiles, Traces } from '../src/index.ts'

/** Provides services of a run without a file system: files in memory, synthetic jobs, three built-in policies. */
export function inMemory(
  files: Readonly<Record<string, string>> = {},
): Layer.Layer<RunFiles | Traces | Policies | Hash> {
  return Layer.mergeAll(
    Layer.succeed(RunFiles, filesOf(files)),
    Layer.succeed(Traces, {
      load: (trace, { filter, procsPerNode = 1, sizes = 'requested', arrivals = 'zero' }) =>
        attempt(() => {
          const jobs = generateSynthetic(parseSynthetic(trace))
          const size = { from: sizes, procsPerNode } as const
          return workloadFromSwf(swfFromWorkload(jobs), {
            filter: { ...parseFilter(filter), size },
            arrivals: parseArrivals(arrivals),
            name: jobs.name,
          })
        }),
    }),
    Layer.succeed(Policies, {
      find: (name) => {
        const policy = [baseline, jigsaw, slurmTree].find((each) => each.name === name)
        return policy === undefined
          ? Effect.fail(new OptionError({ option: 'policy', reason: 'is not there' }))
          : Effect.succeed({ policy, origin: 'memory' })
      },
    }),
    Layer.succeed(Hash, sha256),
  )
}

/** Returns the service `RunFiles` for files in memory, without a reader for YAML. */
export function filesOf(files: Readonly<Record<string, string>>): RunFiles['Service'] {
  return {
    readText: (path) => {
      if (files[path] === undefined) throw new FileError({ path, reason: 'there is no such file' })
      return files[path]
    },
  }
}
